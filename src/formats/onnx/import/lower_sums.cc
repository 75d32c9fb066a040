// Conv, ConvTranspose, Gemm, MatMul.
#include <cstring>

#include "formats/onnx/import/importer.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

// Weights and bias must be constant: nothing that comes later has a use for others.
Result<const Value*> weights(Importer& m, const Node& n, size_t i) {
  EDGETWIN_TRY(m.input(n, i));
  const Value* v = m.constant(n, i);
  if (v == nullptr) {
    return m.error(n, ErrorCode::onnx_reference,
                   "'" + n.inputs[i] + "' is computed; weights and bias must be constant");
  }
  if (v->dtype == DType::float32) return v;
  return m.error(n, ErrorCode::onnx_tensor,
                 "'" + v->name + "' is " + std::string(name(v->dtype)) + ", not float32");
}

Status take_bias(Importer& m, const Node& n, Op& op, int64_t channels) {
  if (!n.has_input(2)) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Value* bias, weights(m, n, 2));
  if (bias->shape.elements() != channels) {
    return m.error(n, ErrorCode::onnx_tensor,
                   "the bias '" + bias->name + "' is " + to_string(bias->shape) + ", there are " +
                       std::to_string(channels) + " channels");
  }
  EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, 2));
  op.inputs.push_back(id);
  return Ok{};
}

Conv2DAttrs conv_attrs(const Spatial& s) {
  Conv2DAttrs a;
  a.padding = padding_of(s);
  const bool flat = s.strides.size() == 1;
  a.stride_h = flat ? 1 : static_cast<int>(s.strides[0]);
  a.stride_w = static_cast<int>(s.strides.back());
  a.dilation_h = flat ? 1 : static_cast<int>(s.dilations[0]);
  a.dilation_w = static_cast<int>(s.dilations.back());
  return a;
}

Error bad_filter(const Importer& m, const Node& n, const Shape& in, const Value& w, int64_t group) {
  return m.error(n, ErrorCode::onnx_tensor, "the filter does not fit the input")
      .detail("input " + to_string(in) + ", filter '" + w.name + "' " + to_string(w.shape) +
              ", group " + std::to_string(group));
}

}  // namespace

Status lower_conv(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  EDGETWIN_TRY_ASSIGN(const Value* w, weights(m, n, 1));
  const Shape in = m.shape(x);
  const Shape filter = w->shape;
  const int64_t group = n.integer("group").value_or(1);
  const bool fits = filter.rank() == in.rank() && filter.elements() > 0 && group >= 1 &&
                    in.rank() >= 3 && in[1] == filter[1] * group && filter[0] % group == 0;
  if (!fits) return bad_filter(m, n, in, *w, group);
  const auto kernel = filter.dims().subspan(2);
  EDGETWIN_TRY_ASSIGN(const Spatial s, spatial(m, n, in, {kernel.begin(), kernel.end()}));
  const bool depthwise = group > 1 && filter[1] == 1;
  Op op = m.make(n, depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d);
  Conv2DAttrs a = conv_attrs(s);
  a.depth_multiplier = depthwise ? static_cast<int>(filter[0] / group) : 0;
  op.attrs = a;
  EDGETWIN_TRY_ASSIGN(const ValueId weight, m.input(n, 1));
  op.inputs = {x, weight};
  EDGETWIN_TRY(take_bias(m, n, op, filter[0]));
  return m.finish(n, std::move(op));
}

namespace {

// What ConvTranspose adds to and takes from the borders, per axis.
struct Borders {
  std::vector<int64_t> before, after, output_padding;
};

Result<Borders> transposed_borders(Importer& m, const Node& n, const Shape& in,
                                   const std::vector<int64_t>& kernel, const Spatial& s) {
  Borders b;
  b.output_padding = n.integers("output_padding").value_or(std::vector<int64_t>(kernel.size(), 0));
  const auto wanted = n.integers("output_shape");
  const std::string automatic = n.text("auto_pad").value_or("NOTSET");
  if (b.output_padding.size() != kernel.size() || (wanted && wanted->size() != kernel.size())) {
    return m.bad_attribute(n, "output_padding or output_shape", "has another number of axes");
  }
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t reach = (kernel[i] - 1) * s.dilations[i] + 1;
    int64_t before = s.before[i];
    int64_t after = s.after[i];
    const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
    if (wanted || same) {
      const int64_t size = in[static_cast<int>(i) + 2];
      const int64_t out = wanted ? (*wanted)[i] : size * s.strides[i];
      const int64_t total = s.strides[i] * (size - 1) + b.output_padding[i] + reach - out;
      before = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      after = total - before;
    }
    // In front of the stretched picture stands what the turned filter needs.
    b.before.push_back(reach - 1 - before);
    b.after.push_back(reach - 1 - after);
    if (b.before[i] < 0 || b.after[i] < 0 || b.output_padding[i] < 0) {
      return m.bad_attribute(n, "pads", "reach beyond the window, which is not supported");
    }
  }
  return b;
}

// C x O/group x K.. becomes O x C/group x K.., every plane turned around.
std::vector<float> turned_filter(const Value& w, int64_t group) {
  const int64_t channels = w.shape[0];
  const int64_t per_group = w.shape[1];
  const int64_t taps = w.shape.elements(2, w.shape.rank());
  const auto* from = reinterpret_cast<const float*>(w.constant->data());
  std::vector<float> to(static_cast<size_t>(w.shape.elements()));
  const int64_t depth = channels / group;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t o = 0; o < per_group; ++o) {
      for (int64_t k = 0; k < taps; ++k) {
        const int64_t row = (c / depth * per_group + o) * depth + c % depth;
        to[static_cast<size_t>(row * taps + taps - 1 - k)] = from[(c * per_group + o) * taps + k];
      }
    }
  }
  return to;
}

}  // namespace

// ESP-DL has no operator of this kind: zeros between the elements, then an ordinary convolution.
Status lower_conv_transpose(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  EDGETWIN_TRY_ASSIGN(const Value* given, weights(m, n, 1));
  const Value w = *given;
  const Shape in = m.shape(x);
  const int64_t group = n.integer("group").value_or(1);
  const bool fits = w.shape.rank() == in.rank() && w.shape.elements() > 0 && in.rank() >= 3 &&
                    group >= 1 && w.shape[0] == in[1] && in[1] % group == 0;
  if (!fits) return bad_filter(m, n, in, w, group);
  const auto dims = w.shape.dims().subspan(2);
  const std::vector<int64_t> kernel(dims.begin(), dims.end());
  Node plain = n;  // auto_pad means something else here
  std::erase_if(plain.attributes, [](const Attribute& a) { return a.name == "auto_pad"; });
  EDGETWIN_TRY_ASSIGN(Spatial s, spatial(m, plain, in, kernel));
  EDGETWIN_TRY_ASSIGN(const Borders b, transposed_borders(m, n, in, kernel, s));
  Op zeros = m.make(n, OpKind::insert_zeros);
  zeros.attrs = InsertZerosAttrs{s.strides, b.output_padding};
  zeros.inputs = {x};
  EDGETWIN_TRY_ASSIGN(const ValueId wide, m.step(n, std::move(zeros), "InsertZeros"));
  s.strides.assign(kernel.size(), 1);
  s.before = b.before;
  s.after = b.after;
  const int64_t channels = w.shape[1] * group;
  const bool depthwise = group > 1 && group == in[1];
  Op op = m.make(n, depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d);
  Conv2DAttrs a = conv_attrs(s);
  a.depth_multiplier = depthwise ? static_cast<int>(w.shape[1]) : 0;
  op.attrs = a;
  op.type = "Conv";
  Shape filter = w.shape;
  filter[0] = channels;
  filter[1] = in[1] / group;
  op.inputs = {wide, m.add_floats(w.name, filter, turned_filter(w, group))};
  EDGETWIN_TRY(take_bias(m, n, op, channels));
  return m.finish(n, std::move(op));
}

Status lower_insert_zeros(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::insert_zeros);
  op.attrs = InsertZerosAttrs{n.integers("stride").value_or(std::vector<int64_t>{}),
                              n.integers("output_padding").value_or(std::vector<int64_t>{})};
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

namespace {

// The weights as N x K, times alpha.
std::vector<float> gemm_weights(const Value& w, bool transposed, float alpha) {
  const int64_t rows = w.shape[0];
  const int64_t columns = w.shape[1];
  const auto* from = reinterpret_cast<const float*>(w.constant->data());
  std::vector<float> to(static_cast<size_t>(w.shape.elements()));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t at = transposed ? r * columns + c : c * rows + r;
      to[static_cast<size_t>(at)] = from[r * columns + c] * alpha;
    }
  }
  return to;
}

// One addend per column, times beta; nothing where it differs by row.
std::optional<std::vector<float>> gemm_bias(const Value& c, int64_t columns, float beta) {
  const int64_t have = c.shape.elements();
  const bool one = have == 1;
  if (!one && (have != columns || c.shape.back(0) != columns)) return std::nullopt;
  const auto* from = reinterpret_cast<const float*>(c.constant->data());
  std::vector<float> bias;
  for (int64_t i = 0; i < columns; ++i) bias.push_back(from[one ? 0 : i] * beta);
  return bias;
}

}  // namespace

Status lower_gemm(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(ValueId x, m.input(n, 0));
  EDGETWIN_TRY_ASSIGN(const Value* given, weights(m, n, 1));
  const Value w = *given;
  if (w.shape.rank() != 2 || m.shape(x).rank() != 2) {
    return bad_filter(m, n, m.shape(x), w, 1);
  }
  if (n.integer("transA").value_or(0) != 0) {
    Op turn = m.make(n, OpKind::transpose);
    Bytes perm(8);
    const int32_t order[] = {1, 0};
    std::memcpy(perm.data(), order, 8);
    turn.inputs = {x, m.add_constant(n.outputs.at(0) + "/perm", DType::int32, {2}, perm)};
    EDGETWIN_TRY_ASSIGN(x, m.step(n, std::move(turn), "Transpose"));
  }
  const bool transposed = n.integer("transB").value_or(0) != 0;
  const Shape filter = transposed ? w.shape : Shape{w.shape[1], w.shape[0]};
  Op op = m.make(n, OpKind::fully_connected);
  FullyConnectedAttrs a;
  a.keep_num_dims = true;
  op.attrs = a;
  op.inputs = {
      x, m.add_floats(w.name, filter, gemm_weights(w, transposed, n.real("alpha").value_or(1.0F)))};
  if (!n.has_input(2)) return m.finish(n, std::move(op));
  EDGETWIN_TRY_ASSIGN(const Value* bias, weights(m, n, 2));
  const auto per_column = gemm_bias(*bias, filter[0], n.real("beta").value_or(1.0F));
  if (!per_column) {
    return m.error(n, ErrorCode::onnx_tensor,
                   "the bias '" + bias->name + "' is " + to_string(bias->shape) + ", there are " +
                       std::to_string(filter[0]) + " columns");
  }
  const std::string bias_name = bias->name;
  op.inputs.push_back(m.add_floats(bias_name, {filter[0]}, *per_column));
  return m.finish(n, std::move(op));
}

Status lower_matmul(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::matmul);
  for (size_t i = 0; i < 2; ++i) {
    EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, i));
    op.inputs.push_back(id);
  }
  return m.finish(n, std::move(op));
}

}  // namespace edgetwin::onnx
