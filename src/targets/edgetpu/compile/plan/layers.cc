#include <algorithm>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kBlockChannels64 = 64;

int64_t most_positions(const Map& m) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    most = std::max(most, m.y.own(t / kGrid) * m.x.own(t % kGrid));
  }
  return most;
}

}  // namespace

Numbers numbers_of(const ReferenceLayer& l, const Value& in, const Value& out,
                   Activation activation) {
  Numbers n;
  n.multiplier = l.effective_scales(out.quant.scale_of(0))[0];
  n.weight_zero = l.content.zero_points[0];
  n.input_zero = unsigned_zero(in);
  put_limits(n, out, activation);
  n.has_scale = l.shape.has_scale;
  n.has_bias = l.shape.has_bias;
  n.has_zero = l.shape.has_zero;
  return n;
}

bool Lowering::window_layer(size_t index) {
  const Op& op = graph().ops[index];
  const ReferenceLayer& layer = source_.layers.at(index);
  const BlockShape& shape = layer.shape;
  const Reading reading = reading_of(op, shape.kernel_h, shape.kernel_w);
  const Windows& w = reading.windows;
  const Value& in = value(reading.from);
  const Value& out = value(op.outputs[0]);
  const auto& a = op.as<Conv2DAttrs>();
  Store& from = store(reading.from);
  if (!is_map(out)) return dense_layer(index, &w);
  if (from.vector || !is_map(in) || in.shape[3] != from.map.channels ||
      in.shape[1] != from.map.y.size) {
    return refuse(Rule::shape, "its input is a vector that another operator reshaped");
  }
  Store& to = store(op.outputs[0]);
  auto spec = std::make_shared<LayerSpec>();
  spec->in = &from.map;
  spec->y = w.y;
  spec->x = w.x;
  spec->outputs = shape.out;
  spec->numbers = numbers_of(layer, in, out, a.activation);
  int whole = -1;
  if (!neighbours(from, w)) {
    const int64_t rows =
        std::max(w.y.stride * (w.y.outputs - 1) + w.y.reach(), w.y.front + from.map.y.size);
    const int64_t columns =
        std::max(w.x.stride * (w.x.outputs - 1) + w.x.reach(), w.x.front + from.map.x.size);
    whole = gathered(from, {.top = w.y.front, .left = w.x.front, .rows = rows, .columns = columns});
    use(whole);
    spec->whole = true;
    spec->whole_columns = columns;
  } else {
    use(from.region);
  }
  to.region = region(to.map.bytes());
  const bool depthwise_kind = shape.kind == BlockKind::depthwise;
  // A layer without any item in its header gets biases of zero.
  BlockShape stored = shape;
  if (stored.items() == 0) stored.has_bias = spec->numbers.has_bias = true;
  Tiling t;
  t.depthwise = depthwise_kind;
  t.words = depthwise_kind ? 1 : ceil_div(shape.in, 4);
  t.taps = int64_t{shape.kernel_h} * shape.kernel_w;
  t.groups = depthwise_kind ? ceil_div(shape.out, 4) : ceil_div(shape.out, kBlockChannels64);
  t.positions = most_positions(to.map);
  t.header = stored.items();
  spec->tiling = tiling_of(t, kWideTop);
  if (!spec->tiling.fits()) {
    return refuse(Rule::wide_memory, "buffers of its weights and sums take " +
                                         std::to_string(kWideTop - spec->tiling.lowest_line) +
                                         " of 2080 lines");
  }
  spec->slots = stored.slots();
  spec->out = &to.map;
  if (!depthwise_kind && !has_known_forms(*spec)) {
    const Tiling law = spec->tiling;
    spec->tiling = other_tiling(law, kWideTop);
    if (!spec->tiling.fits() || !has_known_forms(*spec)) spec->tiling = law;
  }
  set_order(spec->tiling, stored);
  const size_t block = add_block(layer, stored, out.quant.scale_of(0), false);
  planned_.push_back({index,
                      depthwise_kind          ? "depthwise"
                      : spec->tiling.finished ? "convolution, outputs in one go"
                                              : "convolution, partial sums",
                      to.map.bytes(), 0});
  emit(
      [this, spec, block, whole, depthwise_kind](Program& p) {
        spec->pieces = blocks_[block].pieces;
        if (whole >= 0) spec->whole_base = at(whole);
        if (depthwise_kind) {
          depthwise(p, *spec);
        } else {
          convolution(p, *spec);
        }
      },
      spec->tiling.lowest_line);
  border(to);
  return true;
}

// Also a convolution with one output position: its window covers all of the map that it reads.
bool Lowering::dense_layer(size_t index, const Windows* window) {
  const Op& op = graph().ops[index];
  const ReferenceLayer& layer = source_.layers.at(index);
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  BlockShape stored = layer.shape;
  stored.spatial = false;
  const int64_t inputs = int64_t{stored.in} * stored.kernel_h * stored.kernel_w;
  if (stored.kind == BlockKind::depthwise) {
    return refuse(Rule::attributes, "a depthwise layer with one position is not compiled");
  }
  const bool covers =
      window == nullptr ||
      (window->y.front == 0 && window->x.front == 0 && window->y.dilation == 1 &&
       window->x.dilation == 1 && in.shape[1] == stored.kernel_h && in.shape[2] == stored.kernel_w);
  if (inputs != from.bytes || !covers) {
    return refuse(Rule::shape, "it takes " + std::to_string(inputs) + " of the " +
                                   std::to_string(from.bytes) + " values of its input");
  }
  if (!from.vector && from.map.channels % 4 != 0) {
    return refuse(Rule::shape, "the picture that it reads as a vector has " +
                                   std::to_string(from.map.channels) +
                                   " channels, no multiple of 4");
  }
  constexpr int64_t kMostWords = 16384;  // of a loop
  if (ceil_div(inputs, 4) > kMostWords) {
    return refuse(Rule::attributes, "it has " + std::to_string(inputs) + " inputs; 65536 can be");
  }
  const int whole = whole_vector(from);
  const Activation activation =
      window == nullptr ? op.as<FullyConnectedAttrs>().activation : op.as<Conv2DAttrs>().activation;
  Numbers numbers = numbers_of(layer, in, out, activation);
  if (stored.items() == 0) stored.has_bias = numbers.has_bias = true;
  stored.order = LineOrder::input_inner;
  const int64_t blocks = ceil_div(stored.out, kBlockChannels64);
  to.blocks = region(64 * ceil_div(blocks, kTiles));
  const size_t block = add_block(layer, stored, out.quant.scale_of(0), true);
  planned_.push_back({index, "fully connected", 64 * ceil_div(blocks, kTiles), 0});
  emit(
      [this, block, numbers, inputs, whole, stored, result = to.blocks](Program& p) {
        const std::vector<Piece>& all = blocks_[block].pieces;
        for (size_t first = 0; first < all.size(); first += kTiles) {
          if (first != 0) p.barrier();
          DenseSpec spec;
          spec.inputs = inputs;
          spec.outputs = stored.out - static_cast<int64_t>(first) * kBlockChannels64;
          spec.in = at(whole);
          spec.out = at(result) + static_cast<int64_t>(first) / kTiles * 64;
          const size_t end = std::min(all.size(), first + kTiles);
          spec.blocks.assign(all.begin() + static_cast<std::ptrdiff_t>(first),
                             all.begin() + static_cast<std::ptrdiff_t>(end));
          spec.items = stored.items();
          spec.numbers = numbers;
          spec.slots = stored.slots();
          dense(p, spec);
        }
      },
      kWideTop);
  return true;
}

bool Lowering::sum(size_t index) {
  const Op& op = graph().ops[index];
  const Value& x = value(op.inputs[0]);
  const Value& y = value(op.inputs[1]);
  const Value& out = value(op.outputs[0]);
  Store& a = store(op.inputs[0]);
  Store& b = store(op.inputs[1]);
  if (a.vector || b.vector || !(x.shape == y.shape)) {
    return refuse(Rule::shape, "its operands are no pictures");
  }
  use(a.region), use(b.region);
  Store& to = store(op.outputs[0]);
  to.region = region(to.map.bytes());
  AddSpec spec;
  const auto weights = numerics::edgetpu::add_weights(x.quant.scale_of(0), y.quant.scale_of(0));
  spec.weight_a = weights.a;
  spec.weight_b = weights.b;
  const bool first = weights.a != 0;
  const auto weight = static_cast<float>(first ? weights.a : weights.b);
  spec.numbers.multiplier =
      ((first ? x : y).quant.scale_of(0) / weight) * (1.0F / out.quant.scale_of(0));
  spec.numbers.constant = -(weights.a * a.zero + weights.b * b.zero);
  put_limits(spec.numbers, out, op.as<BinaryAttrs>().activation);
  planned_.push_back({index, "addition", to.map.bytes(), 0});
  emit(
      [this, spec, &a, &b, &to, constants = scratch()](Program& p) {
        AddSpec s = spec;
        s.a = &a.map, s.b = &b.map, s.out = &to.map;
        s.scratch = at(constants);
        addition(p, s);
      },
      kConstantLine);
  border(to);
  return true;
}

bool Lowering::pool(size_t index) {
  const Op& op = graph().ops[index];
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  if (from.vector) return refuse(Rule::shape, "its input is no picture");
  const int whole = whole_vector(from);
  Store& to = store(op.outputs[0]);
  to.blocks = region(64 * ceil_div(ceil_div(to.bytes, 64), kTiles));
  PoolSpec spec;
  spec.rows = from.map.y.size;
  spec.columns = from.map.x.size;
  spec.channels = from.map.channels;
  spec.numbers.weight_zero = from.zero;
  spec.numbers.multiplier = numerics::edgetpu::mean_multiplier(
      in.quant.scale_of(0), spec.rows * spec.columns, out.quant.scale_of(0));
  put_limits(spec.numbers, out,
             op.kind == OpKind::mean ? Activation::none : op.as<PoolAttrs>().activation);
  planned_.push_back({index, "average over the picture", from.bytes, 0});
  emit(
      [this, spec, whole, result = to.blocks, constants = scratch()](Program& p) {
        PoolSpec s = spec;
        s.base = at(whole), s.out = at(result), s.scratch = at(constants);
        whole_pool(p, s);
      },
      pool_lowest(spec.rows, spec.columns));
  return true;
}

bool Lowering::window_pool_layer(size_t index) {
  const Op& op = graph().ops[index];
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  const Windows w = reading_of(op, 1, 1).windows;
  if (from.vector || !neighbours(from, w)) {
    return refuse(Rule::shape, "its windows reach over more than one tile");
  }
  use(from.region);
  Store& to = store(op.outputs[0]);
  to.region = region(to.map.bytes());
  const int ones = region(window_pool_scratch(to.map));
  WindowPoolSpec spec;
  spec.y = w.y;
  spec.x = w.x;
  spec.numbers.weight_zero = from.zero;
  spec.numbers.multiplier = numerics::edgetpu::mean_multiplier(
      in.quant.scale_of(0), w.y.kernel * w.x.kernel, out.quant.scale_of(0));
  put_limits(spec.numbers, out, op.as<PoolAttrs>().activation);
  const int64_t lowest = window_pool_lowest(to.map, w.y, w.x);
  if (lowest < 0) {
    return refuse(Rule::wide_memory,
                  "its windows take " + std::to_string(kWideTop - lowest) + " of 2080 lines");
  }
  planned_.push_back({index, "averages of windows", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, ones](Program& p) {
        WindowPoolSpec s = spec;
        s.in = &from.map, s.out = &to.map, s.scratch = at(ones);
        window_pool(p, s);
      },
      lowest);
  border(to);
  return true;
}

// Parts go to their place in the pixels of the whole, with its scale.
bool Lowering::join(size_t index) {
  const Op& op = graph().ops[index];
  const Value& out = value(op.outputs[0]);
  Store& to = store(op.outputs[0]);
  to.region = region(to.map.bytes());
  int64_t offset = 0;
  for (const ValueId id : op.inputs) {
    const Value& in = value(id);
    Store& from = store(id);
    if (from.vector) return refuse(Rule::shape, "one of its parts is no picture");
    use(from.region), use(to.region);
    Numbers n;
    n.multiplier = in.quant.scale_of(0) * (1.0F / out.quant.scale_of(0));
    if (in.quant.scale_of(0) == out.quant.scale_of(0)) n.multiplier = 1.0F;
    n.input_zero = from.zero;
    put_limits(n, out, op.as<ConcatAttrs>().activation);
    emit(
        [this, n, offset, &from, &to, constants = scratch()](Program& p) {
          rescale(p, {&from.map, &to.map, offset, n, at(constants)});
        },
        kConstantLine);
    offset += in.shape[3];
  }
  planned_.push_back({index, "join", to.map.bytes(), 0});
  border(to);
  return true;
}

bool Lowering::scaled(size_t index) {
  const Op& op = graph().ops[index];
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  if (from.vector) return refuse(Rule::shape, "its input is no picture");
  use(from.region);
  Store& to = store(op.outputs[0]);
  to.region = region(to.map.bytes());
  Numbers n;
  n.multiplier = in.quant.scale_of(0) * (1.0F / out.quant.scale_of(0));
  n.input_zero = from.zero;
  const Activation activation = op.kind == OpKind::relu           ? Activation::relu
                                : op.kind == OpKind::relu6        ? Activation::relu6
                                : op.kind == OpKind::relu_n1_to_1 ? Activation::relu_n1_to_1
                                                                  : Activation::none;
  put_limits(n, out, activation);
  std::shared_ptr<const numerics::edgetpu::FunctionTable> table;
  const bool odd = op.kind == OpKind::tanh;
  if (odd || op.kind == OpKind::logistic) {
    using namespace numerics::edgetpu;
    const double inverse = static_cast<double>(1.0F / out.quant.scale_of(0));
    table = std::make_shared<const FunctionTable>(odd ? kTanhTable.times(inverse)
                                                      : kLogisticTable.times(inverse / 256));
    n.function = true;
    n.multiplier = in.quant.scale_of(0);
    n.high = odd ? kTanhLimit : kLogisticLimit;
    n.low = -n.high;
  }
  planned_.push_back({index, table ? "table" : "rescale", to.map.bytes(), 0});
  emit(
      [this, n, table, odd, &from, &to, constants = scratch()](Program& p) {
        rescale(p, {&from.map, &to.map, 0, n, at(constants), table.get(), odd});
      },
      kConstantLine);
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
