// Averages and greatest values of windows.
#include <algorithm>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {

bool Lowering::pool(size_t index) {
  const Op& op = graph().ops[index];
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  if (from.vector) return not_a_picture();
  // Every tile gets the whole picture where that fits, else the channels that it sums.
  const int64_t positions = from.map.y.size * from.map.x.size;
  const bool blocks =
      from.whole < 0 && positions * from.map.pixel() + from.map.bytes() > kNarrowBytes;
  if (blocks) use(from.region);
  const int whole =
      blocks ? region(positions * std::min<int64_t>(64, from.map.pixel())) : whole_vector(from);
  Store& to = store(op.outputs[0]);
  to.blocks = region(64 * ceil_div(ceil_div(to.bytes, 64), kTiles));
  PoolSpec spec;
  spec.rows = from.map.y.size;
  spec.columns = from.map.x.size;
  spec.channels = from.map.channels;
  spec.blocks = blocks;
  spec.numbers.weight_zero = from.zero;
  spec.numbers.multiplier = numerics::edgetpu::mean_multiplier(
      in.quant.scale_of(0), spec.rows * spec.columns, out.quant.scale_of(0));
  put_limits(spec.numbers, out,
             op.kind == OpKind::mean ? Activation::none : op.as<PoolAttrs>().activation);
  planned_.push_back({index, "average over the picture", from.bytes, 0});
  const auto sums = [&](int64_t first) {
    emit(
        [this, spec, first, whole, result = to.blocks, constants = scratch()](Program& p) {
          PoolSpec s = spec;
          s.first = first;
          s.base = at(whole), s.out = at(result), s.scratch = at(constants);
          whole_pool(p, s);
        },
        pool_lowest(spec.rows, spec.columns));
  };
  for (int64_t first = 0; blocks && first * 64 < spec.channels; first += kTiles) {
    use(from.region), use(whole), use(to.blocks);
    emit([this, &from, whole, first](Program& p) { gather_blocks(p, from.map, at(whole), first); },
         kTransferLowest);
    use(whole), use(to.blocks);
    sums(first);
  }
  if (!blocks) sums(0);
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
  if (from.two_edges) {
    return refuse(Rule::attributes,
                  "a border of real 0 is needed; another operator that reads the same tensor over "
                  "the edge needs another one");
  }
  use(from.region);
  Store& to = store(op.outputs[0]);
  to.region = region(to.map.bytes());
  const int ones = region(window_pool_scratch(to.map));
  WindowPoolSpec spec;
  spec.y = w.y;
  spec.x = w.x;
  spec.numbers.weight_zero = from.zero;
  spec.in_scale = in.quant.scale_of(0);
  spec.out_scale = out.quant.scale_of(0);
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

bool Lowering::max_pool_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const Value& in = value(op.inputs[0]);
  const auto& a = op.as<PoolAttrs>();
  const bool same = in.quant.scale_of(0) == value(op.outputs[0]).quant.scale_of(0) &&
                    from.zero == to.zero && a.activation == Activation::none;
  if (!same || a.filter_h * a.filter_w == 1) {
    return refuse(Rule::attributes, "it has another scale, an activation or a window of 1 x 1");
  }
  const Windows w = reading_of(op, 1, 1).windows;
  if (from.vector || to.vector || !neighbours(from, w)) {
    return refuse(Rule::shape, "its windows reach over more than one tile");
  }
  if (from.two_edges) {
    return refuse(Rule::attributes,
                  "a border of 0 is needed; a convolution that reads the same tensor needs " +
                      std::to_string(from.zero));
  }
  use(from.region);
  to.region = region(to.map.bytes());
  const int difference = region(from.map.bytes()), greatest = region(from.map.bytes());
  MaxPoolSpec spec;
  spec.y = w.y;
  spec.x = w.x;
  planned_.push_back({index, "greatest of windows", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, difference, greatest, constants = scratch()](Program& p) {
        MaxPoolSpec s = spec;
        s.in = &from.map, s.out = &to.map;
        s.difference = at(difference), s.greatest = at(greatest), s.scratch = at(constants);
        max_pool(p, s);
      },
      kConstantLine);
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
