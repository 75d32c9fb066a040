#include "targets/edgetpu/decompile/build.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "targets/edgetpu/decompile/scale_problem.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kFlip = 128;

class GraphBuilder {
 public:
  GraphBuilder(Graph& graph, DecompiledOp& op, const darwinn::Executable& inference)
      : graph_(graph), op_(op), inference_(inference) {}

  Status run() {
    const Op old = graph_.ops[op_.op];
    type_ = element_type(old);
    op_.written.assign(layers().size(), -1);
    values_.assign(layers().size(), kAbsent);
    first_op_ = op_.op;
    make_inputs(old);
    for (size_t l = 0; l < layers().size(); ++l) add_layer(l);
    EDGETWIN_TRY(make_outputs(old));
    auto& ops = graph_.ops;
    ops.erase(ops.begin() + static_cast<long>(op_.op));
    ops.insert(ops.begin() + static_cast<long>(op_.op), made_.begin(), made_.end());
    return Ok{};
  }

 private:
  const std::vector<DecompiledLayer>& layers() const { return op_.layers.layers; }

  // int8 where the network's weights have zero points of 0 there and somebody needs it.
  DType element_type(const Op& old) const {
    bool wanted = false;
    for (const ValueId v : old.inputs) wanted = wanted || is_int8(v);
    for (const ValueId v : old.outputs) wanted = wanted || is_int8(v);
    for (const DecompiledLayer& l : layers()) {
      if (!l.numbers.weighted() || l.content.weights.empty()) continue;
      if (l.content.zero_points.size() > 1) wanted = true;
      for (const uint8_t z : l.content.zero_points) {
        if (z != kFlip) return DType::uint8;
      }
    }
    return wanted ? DType::int8 : DType::uint8;
  }
  bool is_int8(ValueId v) const { return v != kAbsent && graph_.value(v).dtype == DType::int8; }

  Quant quant(float scale, int64_t unsigned_zero) const {
    return Quant::affine(scale, unsigned_zero - (type_ == DType::int8 ? kFlip : 0));
  }

  ValueId add_value(std::string name, DType dtype, Shape shape, Quant q) {
    Value v;
    v.name = std::move(name);
    v.dtype = dtype;
    v.shape = std::move(shape);
    v.quant = std::move(q);
    graph_.values.push_back(std::move(v));
    return static_cast<ValueId>(graph_.values.size() - 1);
  }

  ValueId add_constant(const std::string& name, DType dtype, Shape shape, Quant q, Bytes bytes) {
    const ValueId v = add_value(name, dtype, std::move(shape), std::move(q));
    graph_.value(v).constant = std::make_shared<const Bytes>(std::move(bytes));
    return v;
  }

  ValueId add_integers(const std::string& name, const std::vector<int32_t>& numbers, Shape shape) {
    Bytes bytes(numbers.size() * sizeof(int32_t));
    if (!numbers.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return add_constant(name, DType::int32, std::move(shape), {}, std::move(bytes));
  }

  void add_op(OpKind kind, Attrs attrs, std::vector<ValueId> inputs, ValueId output) {
    Op op;
    op.kind = kind;
    op.attrs = std::move(attrs);
    op.inputs = std::move(inputs);
    op.outputs = {output};
    made_.push_back(std::move(op));
  }

  static Shape picture(const Extent2D& e) { return Shape{1, e.h, e.w, e.c}; }
  std::string label(size_t l, std::string_view what = {}) const {
    std::string text =
        "decompiled/" + std::to_string(l) + "_" + std::string(name(layers()[l].type));
    return what.empty() ? text : text + "/" + std::string(what);
  }

  ValueId reshape(ValueId from, const Shape& shape, const std::string& name) {
    const Value& v = graph_.value(from);
    const ValueId to = add_value(name, v.dtype, shape, v.quant);
    ReshapeAttrs attrs;
    for (int i = 0; i < shape.rank(); ++i)
      attrs.new_shape.push_back(static_cast<int32_t>(shape[i]));
    const ValueId sizes = add_integers(name + "/shape", attrs.new_shape, Shape{shape.rank()});
    add_op(OpKind::reshape, attrs, {from, sizes}, to);
    return to;
  }

  ValueId convert(ValueId from, DType dtype, const Quant& q, const std::string& name) {
    const ValueId to = add_value(name, dtype, graph_.value(from).shape, q);
    add_op(OpKind::quantize, NoAttrs{}, {from}, to);
    return to;
  }

  // ---- the edges
  // --------------------------------------------------------------------------------- By name;
  // names of older files are those of the tensors, else the order counts.
  static size_t index_of(const std::vector<darwinn::Layer>& all, const std::string& name,
                         size_t fallback) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == name) return i;
    }
    return fallback;
  }

  void make_inputs(const Op& old) {
    inputs_.assign(inference_.inputs.size(), kAbsent);
    states_.assign(inference_.inputs.size(), kAbsent);
    for (size_t i = 0; i < old.inputs.size(); ++i) {
      const ValueId v = old.inputs[i];
      const size_t index = index_of(inference_.inputs, graph_.value(v).name, i);
      if (index >= inputs_.size()) continue;
      const darwinn::Layer& layer = inference_.inputs[index];
      const TensorScale& s = op_.scales.inputs[index];
      const std::string name = "decompiled/input_" + std::to_string(index);
      states_[index] = v;
      if (graph_.value(v).is_variable) continue;
      ValueId now = v;
      if (graph_.value(v).dtype != type_) {
        now = convert(now, type_, quant(s.scale, s.zero_point), name + "/type");
      }
      const Shape wanted{1, layer.y_dim, layer.x_dim, layer.z_dim};
      if (graph_.value(now).shape != wanted) now = reshape(now, wanted, name);
      inputs_[index] = now;
    }
  }

  Status make_outputs(const Op& old) {
    for (const DecompiledOutput& o : op_.layers.outputs) {
      const std::string& name = inference_.outputs[o.layer_index].name;
      ValueId wanted = kAbsent;
      for (size_t i = 0; i < old.outputs.size(); ++i) {
        if (graph_.value(old.outputs[i]).name == name) wanted = old.outputs[i];
      }
      if (wanted == kAbsent && o.layer_index < old.outputs.size()) {
        wanted = old.outputs[o.layer_index];
      }
      const ValueId from = operand(o.from);
      if (wanted == kAbsent || from == kAbsent) continue;
      EDGETWIN_TRY(lead_out(from, wanted));
      reached_.push_back(wanted);
    }
    for (const ValueId v : old.outputs) {
      if (std::find(reached_.begin(), reached_.end(), v) != reached_.end()) continue;
      return Error(ErrorCode::decompile_layer,
                   "nothing that was recovered makes the output '" + graph_.value(v).name + "'");
    }
    return Ok{};
  }

  Status lead_out(ValueId from, ValueId wanted) {
    const std::string name = graph_.value(wanted).name;
    if (graph_.value(from).shape.elements() != graph_.value(wanted).shape.elements()) {
      return Error(ErrorCode::decompile_layer,
                   "output '" + name + "' has " + to_string(graph_.value(wanted).shape) +
                       ", what was recovered " + to_string(graph_.value(from).shape));
    }
    const bool type = graph_.value(from).dtype != graph_.value(wanted).dtype;
    const bool shape = graph_.value(from).shape != graph_.value(wanted).shape;
    if (type && shape) from = reshape(from, graph_.value(wanted).shape, name + "/decompiled");
    if (type) {
      add_op(OpKind::quantize, NoAttrs{}, {from}, wanted);
      return Ok{};
    }
    if (shape || used_as_output(from) || is_input(from)) {
      ReshapeAttrs attrs;
      const Shape to = graph_.value(wanted).shape;
      for (int i = 0; i < to.rank(); ++i) attrs.new_shape.push_back(static_cast<int32_t>(to[i]));
      const ValueId sizes = add_integers(name + "/shape", attrs.new_shape, Shape{to.rank()});
      add_op(OpKind::reshape, attrs, {from, sizes}, wanted);
      return Ok{};
    }
    // The value itself takes the output's place.
    for (Op& op : made_) {
      std::replace(op.inputs.begin(), op.inputs.end(), from, wanted);
      std::replace(op.outputs.begin(), op.outputs.end(), from, wanted);
    }
    std::replace(values_.begin(), values_.end(), from, wanted);
    std::replace(inputs_.begin(), inputs_.end(), from, wanted);
    for (auto& [list, v] : joined_) {
      if (v == from) v = wanted;
    }
    graph_.value(wanted).quant = graph_.value(from).quant;
    return Ok{};
  }

  bool used_as_output(ValueId v) const {
    return std::find(reached_.begin(), reached_.end(), v) != reached_.end();
  }
  bool is_input(ValueId v) const {
    return std::none_of(made_.begin(), made_.end(), [&](const Op& op) {
      return std::find(op.outputs.begin(), op.outputs.end(), v) != op.outputs.end();
    });
  }

  // ---- operands
  // ------------------------------------------------------------------------------------
  ValueId value_of(Producer p) const {
    if (p < 0) {
      const auto i = static_cast<size_t>(-1 - p);
      return i < inputs_.size() ? inputs_[i] : kAbsent;
    }
    return values_[static_cast<size_t>(p)];
  }

  // The channels that an operand takes of its i-th producer.
  ValueId part_of(const Operand& o, size_t i) {
    const ValueId v = value_of(o.from[i]);
    if (v == kAbsent || o.taken.empty()) return v;
    const ChannelRange range = o.taken[i];
    const Value of = graph_.value(v);
    if (of.shape.rank() != 4 || range.first + range.count > of.shape[3]) return kAbsent;
    if (range.count == of.shape[3]) return v;
    const Operand alone{{o.from[i]}, 0, {range}};
    for (const auto& [list, made] : joined_) {
      if (list == alone) return made;
    }
    const std::string name = "decompiled/slice_" + std::to_string(joined_.size());
    const ValueId to = add_value(
        name, of.dtype, Shape{1, of.shape[1], of.shape[2], int64_t{range.count}}, of.quant);
    const ValueId begin = add_integers(name + "/begin", {0, 0, 0, range.first}, Shape{4});
    const auto side = [&](int k) { return static_cast<int32_t>(of.shape[k]); };
    const ValueId size = add_integers(name + "/size", {1, side(1), side(2), range.count}, Shape{4});
    add_op(OpKind::slice, NoAttrs{}, {v, begin, size}, to);
    joined_.emplace_back(alone, to);
    return to;
  }

  ValueId operand(const Operand& o) {
    if (o.from.empty()) return kAbsent;
    if (o.row_channels > 0) return joined_rows(o);
    if (o.from.size() == 1) return part_of(o, 0);
    for (const auto& [list, v] : joined_) {
      if (list == o) return v;
    }
    std::vector<ValueId> parts;
    int64_t channels = 0;
    for (size_t i = 0; i < o.from.size(); ++i) {
      const ValueId v = part_of(o, i);
      if (v == kAbsent) return kAbsent;
      parts.push_back(v);
      channels += graph_.value(v).shape[3];
    }
    const Value first = graph_.value(parts.front());
    const ValueId v = add_value("decompiled/concat_" + std::to_string(joined_.size()), first.dtype,
                                Shape{1, first.shape[1], first.shape[2], channels}, first.quant);
    add_op(OpKind::concatenation, ConcatAttrs{3, Activation::none}, parts, v);
    joined_.emplace_back(o, v);
    return v;
  }

  // Maps as rows one behind the other.
  ValueId joined_rows(const Operand& o) {
    std::vector<ValueId> parts;
    int64_t rows = 0;
    for (const Producer p : o.from) {
      const ValueId v = value_of(p);
      if (v == kAbsent) return kAbsent;
      const int64_t of_part = graph_.value(v).shape.elements() / o.row_channels;
      const std::string name =
          "decompiled/rows_" + std::to_string(joined_.size()) + "_" + std::to_string(parts.size());
      parts.push_back(reshape(v, Shape{1, 1, of_part, o.row_channels}, name));
      rows += of_part;
    }
    if (parts.size() == 1) return parts.front();
    const Value first = graph_.value(parts.front());
    const ValueId v = add_value("decompiled/concat_" + std::to_string(joined_.size()), first.dtype,
                                Shape{1, 1, rows, o.row_channels}, first.quant);
    add_op(OpKind::concatenation, ConcatAttrs{2, Activation::none}, parts, v);
    joined_.emplace_back(o, v);
    return v;
  }

  // ---- layers
  // --------------------------------------------------------------------------------------
  void add_layer(size_t l) {
    const DecompiledLayer& layer = layers()[l];
    if (!layer.problem.empty() || layer.followed) return;
    std::vector<ValueId> inputs;
    for (const Operand& o : layer.inputs) {
      const ValueId v = operand(o);
      if (v == kAbsent) return;
      inputs.push_back(v);
    }
    const TensorScale& s = op_.scales.layers[l];
    if (!(s.scale > 0.0F)) return;
    if (layer.type == LayerType::concat) {
      values_[l] = inputs.front();  // what operand() made of the channels
      for (size_t k = made_.size(); k-- > 0;) {
        if (made_[k].outputs[0] == inputs.front()) op_.written[l] = static_cast<int>(first_op_ + k);
      }
      return;
    }
    const ValueId out = write(l, layer, inputs, quant(s.scale, s.zero_point));
    if (out == kAbsent) return;
    values_[l] = out;
    op_.written[l] = static_cast<int>(first_op_ + made_.size() - 1);
  }

  ValueId write(size_t l, const DecompiledLayer& layer, std::vector<ValueId> in, const Quant& q) {
    if (layer.type == LayerType::reshape) return reshape(in[0], picture(layer.out), label(l));
    const Activation activation = op_.scales.activations[l];
    switch (layer.type) {
      case LayerType::conv:
      case LayerType::depthwise:
      case LayerType::dense:
        return write_weighted(l, layer, in[0], q);
      case LayerType::add:
        return write_plain(l, OpKind::add, BinaryAttrs{activation, true}, in, q);
      case LayerType::mul:
        if (!layer.constant.empty()) in.push_back(add_factor(l, layer));
        return write_plain(l, OpKind::mul, BinaryAttrs{activation, true}, in, q);
      case LayerType::average_pool:
      case LayerType::max_pool:
        return write_pool(l, layer, in, q);
      case LayerType::resize: {
        const ValueId size = add_integers(label(l, "size"), {layer.out.h, layer.out.w}, Shape{2});
        return write_plain(l, OpKind::resize_bilinear, ResizeAttrs{false, true}, {in[0], size}, q);
      }
      case LayerType::softmax:
        return write_plain(l, OpKind::softmax, SoftmaxAttrs{1.0F, -1}, {in[0]}, q);
      case LayerType::logistic:
        return write_plain(l, OpKind::logistic, NoAttrs{}, {in[0]}, q);
      case LayerType::tanh:
        return write_plain(l, OpKind::tanh, NoAttrs{}, {in[0]}, q);
      case LayerType::lstm:
        return write_lstm(l, layer, in[0], q);
      case LayerType::quantize:
        if (adds_number(layer)) return write_number(l, layer, in[0], q);
        if (layer.numbers.has_bias) return write_sum(l, layer, in[0], q);
        return write_plain(l, OpKind::quantize, NoAttrs{}, {in[0]}, q);
      default:
        return kAbsent;
    }
  }

  // Weights of a gate: rows of signed bytes.
  ValueId add_gate_weights(const std::string& name, const BlockContent& content, int64_t units,
                           float scale) {
    Bytes bytes = content.weights;
    for (std::byte& b : bytes) b ^= std::byte{0x80};
    const int64_t zero = int64_t{content.zero_points.front()} - kFlip;
    const auto inputs = static_cast<int64_t>(bytes.size()) / units;
    return add_constant(name, DType::int8, Shape{units, inputs}, Quant::affine(scale, zero),
                        std::move(bytes));
  }

  // States are inputs of the compiled operator that are kept between runs.
  ValueId write_lstm(size_t l, const DecompiledLayer& layer, ValueId in, const Quant& q) {
    const ValueId hidden = states_[layer.hidden_state];
    const ValueId cell = states_[layer.cell_state];
    const bool kept = hidden != kAbsent && cell != kAbsent && graph_.value(hidden).is_variable &&
                      graph_.value(cell).is_variable;
    if (type_ != DType::int8 || !kept) return kAbsent;
    const float si = graph_.value(in).quant.scale_of(0);
    const float sh = graph_.value(hidden).quant.scale_of(0);
    in = reshape(in, Shape{1, layer.in.w, layer.in.c}, label(l, "steps"));
    constexpr size_t kOperands = 24;
    constexpr size_t kInputWeights = 1;
    constexpr size_t kHiddenWeights = 5;
    constexpr size_t kBiases = 12;
    constexpr size_t kStates = 18;
    std::vector<ValueId> operands(kOperands, kAbsent);
    operands[0] = in;
    static constexpr std::array<std::string_view, 4> kNames{"input", "forget", "cell", "output"};
    for (size_t g = 0; g < layer.gates.size(); ++g) {
      const GateNumbers& gate = layer.gates[g];
      const std::string name = label(l, kNames[g]);
      const float wi = solve_weight(si, gate.scale, gate.input_multiplier);
      const float wh = solve_weight(sh, gate.scale, gate.hidden_multiplier);
      if (!(wi > 0.0F) || !(wh > 0.0F)) return kAbsent;
      operands[kInputWeights + g] =
          add_gate_weights(name + "/weights", gate.of_input, layer.out.c, wi);
      operands[kHiddenWeights + g] =
          add_gate_weights(name + "/recurrent", gate.of_hidden, layer.out.c, wh);
      const ValueId bias = add_integers(name + "/bias", gate.of_input.bias, Shape{layer.out.c});
      graph_.value(bias).quant = Quant::affine(si * wi, 0);
      operands[kBiases + g] = bias;
    }
    operands[kStates] = hidden;
    operands[kStates + 1] = cell;
    LstmAttrs attrs;
    attrs.activation = Activation::tanh;
    const ValueId out =
        add_value(label(l, "sequence"), type_, Shape{1, layer.out.w, layer.out.c}, q);
    add_op(OpKind::unidirectional_sequence_lstm, attrs, operands, out);
    return reshape(out, picture(layer.out), label(l));
  }

  ValueId add_factor(size_t l, const DecompiledLayer& layer) {
    Bytes bytes = layer.constant;
    if (type_ == DType::int8) {
      for (std::byte& b : bytes) b ^= std::byte{0x80};
    }
    return add_constant(label(l, "factor"), type_, picture(layer.in),
                        quant(op_.scales.weights[l].front(), layer.numbers.weight_zero_point),
                        std::move(bytes));
  }

  // The number as a constant with the other operand's scale.
  ValueId write_number(size_t l, const DecompiledLayer& layer, ValueId in, const Quant& q) {
    const int number = layer.content.bias.front();
    const int flip = type_ == DType::int8 ? kFlip : 0;
    const ValueId constant = add_constant(
        label(l, "number"), type_, Shape{1},
        quant(graph_.value(in).quant.scale_of(0), std::max(0, -number)),
        Bytes(1, static_cast<std::byte>(static_cast<uint8_t>(std::max(0, number) - flip))));
    return write_plain(l, OpKind::add, BinaryAttrs{Activation::none, true}, {in, constant}, q);
  }

  // A rescaling that adds a number to each channel: a window of one with the weight 1.
  ValueId write_sum(size_t l, const DecompiledLayer& layer, ValueId in, const Quant& q) {
    const int zero = type_ == DType::int8 ? kFlip : 0;
    const auto channels = static_cast<size_t>(layer.in.c);
    Bytes ones(channels, std::byte{1});
    const float weight = op_.scales.weights[l].front();
    const ValueId filter = add_constant(label(l, "filter"), type_, Shape{1, 1, 1, layer.in.c},
                                        quant(weight, zero), ones);
    const ValueId bias = add_bias(l, layer, in);
    Conv2DAttrs a;
    a.stride_h = a.stride_w = 1;
    a.depth_multiplier = 1;
    return write_plain(l, OpKind::depthwise_conv_2d, a, {in, filter, bias}, q);
  }

  ValueId write_plain(size_t l, OpKind kind, Attrs attrs, const std::vector<ValueId>& in,
                      const Quant& q) {
    const ValueId out = add_value(label(l), type_, picture(layers()[l].out), q);
    add_op(kind, std::move(attrs), in, out);
    return out;
  }

  ValueId write_pool(size_t l, const DecompiledLayer& layer, const std::vector<ValueId>& in,
                     const Quant& q) {
    PoolAttrs a;
    a.padding.kind =
        layer.pad == DecompiledLayer::Pad::same ? Padding::Kind::same : Padding::Kind::valid;
    a.stride_h = layer.stride_h;
    a.stride_w = layer.stride_w;
    a.filter_h = layer.kernel_h;
    a.filter_w = layer.kernel_w;
    const bool max = layer.type == LayerType::max_pool;
    return write_plain(l, max ? OpKind::max_pool_2d : OpKind::average_pool_2d, a, {in[0]}, q);
  }

  // Padding that is neither of the two kinds stands in an operator of its own.
  ValueId padded(size_t l, const DecompiledLayer& layer, ValueId in) {
    if (layer.pad != DecompiledLayer::Pad::given) return in;
    const Value v = graph_.value(in);
    const Shape shape{1, v.shape[1] + layer.pad_top + layer.pad_bottom,
                      v.shape[2] + layer.pad_left + layer.pad_right, v.shape[3]};
    const ValueId to = add_value(label(l, "padded"), v.dtype, shape, v.quant);
    const ValueId sizes =
        add_integers(label(l, "padding"),
                     {0, 0, layer.pad_top, layer.pad_bottom, layer.pad_left, layer.pad_right, 0, 0},
                     Shape{4, 2});
    add_op(OpKind::pad, NoAttrs{}, {in, sizes}, to);
    return to;
  }

  ValueId write_weighted(size_t l, const DecompiledLayer& layer, ValueId in, const Quant& q) {
    if (layer.flat) {
      in = reshape(in, Shape{1, 1, 1, int64_t{layer.in.h} * layer.in.w * layer.in.c},
                   label(l, "flat"));
    }
    in = padded(l, layer, in);
    const ValueId filter = add_filter(l, layer);
    std::vector<ValueId> inputs{in, filter};
    if (layer.shape.has_bias) inputs.push_back(add_bias(l, layer, in));
    Conv2DAttrs a;
    a.padding.kind =
        layer.pad == DecompiledLayer::Pad::same ? Padding::Kind::same : Padding::Kind::valid;
    a.stride_h = layer.stride_h;
    a.stride_w = layer.stride_w;
    a.dilation_h = a.dilation_w = layer.dilation;
    a.activation = op_.scales.activations[l];
    const bool depthwise = layer.type == LayerType::depthwise;
    a.depth_multiplier = depthwise ? 1 : 0;
    return write_plain(l, depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d, a, inputs, q);
  }

  ValueId add_filter(size_t l, const DecompiledLayer& layer) {
    const BlockShape& s = layer.shape;
    const bool depthwise = layer.type == LayerType::depthwise;
    Bytes bytes = layer.content.weights;
    const auto positions = static_cast<size_t>(s.kernel_h * s.kernel_w);
    const auto outs = static_cast<size_t>(s.out);
    if (depthwise) {
      for (size_t o = 0; o < outs; ++o) {
        for (size_t p = 0; p < positions; ++p) {
          bytes[p * outs + o] = layer.content.weights[o * positions + p];
        }
      }
    }
    if (type_ == DType::int8) {
      for (std::byte& b : bytes) b ^= std::byte{0x80};
    }
    Quant q;
    q.scheme = Quant::Scheme::affine;
    q.scale = op_.scales.weights[l];
    for (size_t c = 0; c < q.scale.size(); ++c) {
      const auto& zeros = layer.content.zero_points;
      q.zero_point.push_back(zeros[zeros.size() > 1 ? c : 0] - (type_ == DType::int8 ? kFlip : 0));
    }
    q.axis = depthwise ? 3 : 0;
    const Shape shape = depthwise ? Shape{1, s.kernel_h, s.kernel_w, s.out}
                                  : Shape{s.out, s.kernel_h, s.kernel_w, s.in};
    return add_constant(label(l, "filter"), type_, shape, q, std::move(bytes));
  }

  ValueId add_bias(size_t l, const DecompiledLayer& layer, ValueId in) {
    const auto& numbers = layer.content.bias;
    const float scale = graph_.value(in).quant.scale_of(0);
    Quant q;
    q.scheme = Quant::Scheme::affine;
    for (const float w : op_.scales.weights[l]) {
      q.scale.push_back(scale * w);
      q.zero_point.push_back(0);
    }
    const ValueId v =
        add_integers(label(l, "bias"), numbers, Shape{static_cast<int64_t>(numbers.size())});
    graph_.value(v).quant = q;
    return v;
  }

  Graph& graph_;
  DecompiledOp& op_;
  const darwinn::Executable& inference_;
  DType type_ = DType::uint8;
  size_t first_op_ = 0;
  std::vector<Op> made_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> states_;  // the same before anything else; of recurrent layers
  std::vector<ValueId> values_;  // by layer
  std::vector<ValueId> reached_;
  std::vector<std::pair<Operand, ValueId>> joined_;
};

}  // namespace

Status replace_op(Graph& graph, DecompiledOp& op, const darwinn::Executable& inference) {
  return GraphBuilder(graph, op, inference).run();
}

}  // namespace edgetwin::edgetpu
