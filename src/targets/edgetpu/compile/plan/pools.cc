// Averages and greatest values of windows.
#include <algorithm>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/layout/gather.h"
#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/compile/templates/exchange.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {

namespace {

constexpr int64_t kFour = 4;  // positions that a line has room for

// Some window lies over the edge of the picture.
bool reads_over(const Map& map, const Windows& w) {
  const auto over = [](const Window& v, int64_t size) {
    return v.front != 0 || v.stride * (v.outputs - 1) + v.reach() > size;
  };
  return over(w.y, map.y.size) || over(w.x, map.x.size);
}

bool averages_or_sums(const Op& op) { return op.kind != OpKind::max_pool_2d; }
bool is_reduction(const Op& op) { return op.kind == OpKind::mean || op.kind == OpKind::sum; }

// Of a large picture some words of each block at a time.
BlockTurn turn_of(int64_t word_bytes, int64_t beside) {
  BlockTurn turn;
  if (word_bytes * turn.words + beside <= kNarrowBytes) return turn;
  while (turn.words > 1 && word_bytes * turn.words > kNarrowBytes / 2) turn.words /= 2;
  return turn;
}

}  // namespace

// Where the picture comes from: its own tiles and their neighbours, or all of it in every tile.
bool Lowering::pool_from_neighbours(size_t index, const PoolView& view) {
  const Op& op = graph().ops[index];
  const Store& from = store(op.inputs[0]);
  return !is_reduction(op) && is_map(value(op.outputs[0])) && neighbours(from, view.windows);
}

// All of it in every tile, with `edge` around it.
WholePicture Lowering::whole_for(Store& from, const PoolView& view, int edge) {
  const Window &y = view.windows.y, &x = view.windows.x;
  const auto covered = [](const Window& w, int64_t size) {
    return std::max(w.stride * (w.outputs - 1) + w.reach(), w.front + size);
  };
  GatherSpec how{.zero = edge};
  const int64_t pixel = from.map.pixel();
  WholePicture whole;
  if (view.turned) {
    how.rows = ceil_div(from.map.y.size, kFour) * kFour;
    how.columns = from.map.x.size;
    whole.places = {0, how.columns * pixel, pixel};
  } else {
    how.top = y.front, how.left = x.front;
    how.rows = covered(y, from.map.y.size);
    how.columns = ceil_div(covered(x, from.map.x.size), kFour) * kFour;
    whole.places = {0, pixel, how.columns * pixel};
  }
  whole.columns = how.columns;
  whole.region = gathered(from, how);
  use(whole.region);
  return whole;
}

// Blocks side by side for which the tiles have all values soonest: words that each takes, and what
// a transfer costs besides. 0: all of them.
int64_t Lowering::pool_group(const Map& map) const {
  const int64_t blocks = ceil_div(map.words(), 16), positions = map.y.size * map.x.size;
  if (source_.style == Style::vendor || blocks > kTiles) return 0;
  int64_t best = 0, least = positions * map.words() + limits::transfer_steps * kTiles;
  for (int64_t parts = 2; parts <= 8 && parts <= blocks; parts *= 2) {
    const int64_t group = ceil_div(blocks, parts);
    const int64_t cost =
        positions * 16 * group + limits::transfer_steps * kTiles * ceil_div(blocks, group);
    if (cost >= least) continue;
    least = cost;
    best = group;
  }
  return best;
}

int Lowering::in_groups(const Store& from, int64_t group) {
  use(from.region);
  const int to = region(from.map.y.size * from.map.x.size * 64 * group);
  emit([this, &from, to, group](Program& p) { gather_groups(p, from.map, at(to), group); },
       kTransferLowest);
  use(to);
  return to;
}

// What all ways of it have in common.
PoolSpec Lowering::pool_spec(const Op& op, const Store& from) const {
  const Value& in = value(op.inputs[0]);
  const Value& out = value(op.outputs[0]);
  PoolSpec spec;
  spec.rows = from.map.y.size;
  spec.columns = from.map.x.size;
  spec.channels = from.map.channels;
  if (source_.style == Style::vendor && !is_reduction(op)) {
    spec.stride_y = op.as<PoolAttrs>().stride_h, spec.stride_x = op.as<PoolAttrs>().stride_w;
  }
  spec.numbers.weight_zero = from.zero;
  const float in_scale = in.quant.scale_of(0), out_scale = out.quant.scale_of(0);
  spec.numbers.multiplier =
      op.kind == OpKind::sum
          ? sum_multiplier(in_scale, out_scale)
          : numerics::edgetpu::mean_multiplier(in_scale, spec.rows * spec.columns, out_scale);
  put_limits(spec.numbers, out,
             is_reduction(op) ? Activation::none : op.as<PoolAttrs>().activation);
  return spec;
}

bool Lowering::pool(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  // What is gathered is copied by the matrix in the vendor's programs.
  keep_matrix();
  if (source_.style == Style::vendor && segment_.scratch && from.whole < 0 &&
      needs_scratch(from.map)) {
    return pool_by_scratch(index);
  }
  // Every tile gets the whole picture where that fits, else the channels that it sums.
  const int64_t positions = from.map.y.size * from.map.x.size;
  const bool vendor = source_.style == Style::vendor;
  const bool blocks =
      from.whole < 0 && (vendor || positions * from.map.pixel() + from.map.bytes() > kNarrowBytes);
  if (blocks) use(from.region);
  const int64_t group = blocks || from.whole >= 0 ? 0 : pool_group(from.map);
  const int64_t past = vendor ? (kFour - from.map.x.size % kFour) % kFour : 0;
  const int64_t channels = std::min<int64_t>(64, from.map.pixel());
  BlockTurn turn = turn_of((positions + past) * 4, blocks && !vendor ? from.map.bytes() : 0);
  const int whole = blocks       ? region((positions + past) * std::min(channels, 4 * turn.words))
                    : group == 0 ? whole_vector(from)
                                 : in_groups(from, group);
  Store& to = store(op.outputs[0]);
  // In the vendor's programs it is there when what is gathered is.
  const int64_t result_bytes = 64 * ceil_div(ceil_div(to.bytes, 64), kTiles);
  if (!blocks || !vendor) to.blocks = region(result_bytes);
  PoolSpec spec = pool_spec(op, from);
  spec.blocks = blocks;
  spec.group = group;
  planned_.push_back({index, "average over the picture", from.bytes, 0});
  const auto sums = [&](int64_t first, const BlockTurn& of, int filled) {
    keep_matrix();
    const int constants = filled < 0 ? scratch() : filled;
    use(constants);
    Emit e = [this, spec, first, of, whole, result = to.blocks, constants](Program& p) {
      PoolSpec s = spec;
      s.first = first, s.turn = of;
      s.base = at(whole), s.out = at(result), s.scratch = at(constants);
      whole_pool(p, s);
    };
    if (vendor) {
      emit_at(wide(pool_lines(spec.rows, spec.columns)), std::move(e));
      steps_.back().anew = true;
    } else {
      emit(std::move(e), pool_lowest(spec.rows, spec.columns));
    }
  };
  for (int64_t first = 0; blocks && first * 64 < spec.channels; first += kTiles) {
    for (turn.first = 0; turn.first * 4 < channels; turn.first += turn.words) {
      use(from.region), use(whole);
      if (to.blocks >= 0) use(to.blocks);
      // The mesh brings all channels of a block, for which a turn has no room.
      const bool at_once = 4 * turn.words >= channels;
      const int filled = at_once ? gather_beside(from, whole, first) : -1;
      if (filled < 0) {
        emit([this, &from, whole, first,
              turn](Program& p) { gather_blocks(p, from.map, at(whole), first, turn); },
             kTransferLowest);
      }
      steps_.back().apart = vendor;
      if (to.blocks < 0) to.blocks = region(result_bytes);
      use(whole), use(to.blocks);
      sums(first, turn, filled);
    }
  }
  if (!blocks) sums(0, {}, -1);
  return true;
}

bool Lowering::window_pool_layer(size_t index, const PoolView& view) {
  const Op& op = graph().ops[index];
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[0]);
  const bool here = pool_from_neighbours(index, view);
  if (here && from.two_edges) {
    return refuse(Rule::attributes,
                  "a border of real 0 is needed; another operator that reads the same tensor over "
                  "the edge needs another one");
  }
  WindowPoolSpec spec;
  WholePicture whole;
  if (here) {
    use(from.region);
  } else {
    whole = whole_for(from, view, -1);
    spec.whole = true;
    spec.whole_places = whole.places;
  }
  Store& to = store(op.outputs[0]);
  place_result(to);
  const int ones = region(window_pool_scratch(to.map));
  spec.y = view.windows.y;
  spec.x = view.windows.x;
  spec.rows = view.turned ? view.in.columns : view.in.rows;
  spec.columns = view.turned ? view.in.rows : view.in.columns;
  spec.numbers.weight_zero = from.zero;
  spec.in_scale = value(op.inputs[0]).quant.scale_of(0);
  spec.out_scale = out.quant.scale_of(0);
  spec.sums = op.kind == OpKind::sum;
  put_limits(spec.numbers, out,
             is_reduction(op) ? Activation::none : op.as<PoolAttrs>().activation);
  const int64_t lowest = window_pool_lowest(to.map, spec.y, spec.x);
  if (lowest < 0) {
    return refuse(Rule::wide_memory,
                  "its windows take " + std::to_string(kWideTop - lowest) + " of 2080 lines");
  }
  planned_.push_back(
      {index, spec.sums ? "sums of windows" : "averages of windows", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, ones, region = whole.region](Program& p) {
        WindowPoolSpec s = spec;
        s.in = &from.map, s.out = &to.map, s.scratch = at(ones);
        if (s.whole) s.whole_places.start = at(region);
        window_pool(p, s);
      },
      lowest);
  border(to);
  return true;
}

// One position of each window of 1 x 1.
bool Lowering::picked_layer(size_t index, const PoolView& view) {
  Cut cut;
  cut.size = {1, view.windows.y.outputs, view.windows.x.outputs, view.in.channels};
  cut.step = {1, view.windows.y.stride, view.windows.x.stride, 1};
  return take_part(index, store(graph().ops[index].inputs[0]), graph().ops[index].outputs[0], cut);
}

// The greatest values have the input's scale; another one is given to them afterwards.
bool Lowering::max_pool_layer(size_t index, const PoolView& view) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& result = store(op.outputs[0]);
  const auto& a = op.as<PoolAttrs>();
  const bool same =
      same_numbers(value(op.inputs[0]), value(op.outputs[0])) && a.activation == Activation::none;
  if (a.filter_h * a.filter_w == 1) {
    if (same && !result.vector) return picked_layer(index, view);
    return refuse(Rule::attributes, "its window is 1 x 1, with another scale or one position");
  }
  const bool here = pool_from_neighbours(index, view);
  place_result(result);
  Map plain = result.map;
  plain.y.front = plain.y.back = plain.x.front = plain.x.back = {};
  Store& to = same ? result : between(plain, from.zero);
  to.vector = result.vector;
  if (to.vector && !same) to.whole = to.region;
  planned_.push_back({index, "greatest of windows", to.map.bytes(), 0});
  greatest_of_windows(from, to, view, here);
  if (!same) {
    use_place(to), use_place(result);
    copy_channels(to, result, 0, 0,
                  numbers_of_part(op.inputs[0], value(op.outputs[0]), a.activation));
  }
  border(result);
  return true;
}

// A copy with the border that the windows need, of the byte 0.
Store& Lowering::with_border(Store& from, const Windows& w) {
  Map map;
  map.y = Axis(from.map.y.size);
  map.x = Axis(from.map.x.size);
  map.channels = from.map.channels;
  map.y.widen(w.y);
  map.x.widen(w.x);
  Store& copy = between(map, from.zero);
  copy.edge = 0;
  use(from.region), use(copy.region);
  Numbers same = copy_numbers();
  copy_channels(from, copy, 0, 0, same);
  border(copy);
  use(copy.region);
  return copy;
}

void Lowering::greatest_of_windows(Store& from, Store& to, const PoolView& view, bool here) {
  MaxPoolSpec spec;
  spec.in = &from.map, spec.out = &to.map;
  spec.y = view.windows.y, spec.x = view.windows.x;
  int whole = -1;
  const bool own_edge = here && reads_over(from.map, view.windows) && from.edge != 0;
  if (own_edge) {
    spec.in = &with_border(from, view.windows).map;
  } else if (here) {
    use(from.region);
  } else {
    const WholePicture picture = whole_for(from, view, 0);
    whole = picture.region;
    spec.whole = true;
    spec.whole_columns = picture.columns;
  }
  if (!here || from.map.bytes() > limits::pool_bytes)
    spec.words = max_pool_words(spec, limits::pool_bytes);
  use_place(to);
  const int64_t bytes = max_pool_bytes(spec);
  const int difference = region(bytes), greatest = region(bytes);
  emit(
      [this, spec, whole, difference, greatest, constants = scratch()](Program& p) {
        MaxPoolSpec s = spec;
        if (s.whole) s.whole_base = at(whole);
        s.difference = at(difference), s.greatest = at(greatest), s.scratch = at(constants);
        max_pool(p, s);
      },
      kMaxPoolLowest);
}

bool Lowering::pooled(size_t index) {
  const Op& op = graph().ops[index];
  auto view = view_of_pool(op);
  const Store& from = store(op.inputs[0]);
  if (view && band_windows_) {
    view->windows = *band_windows_;
    view->in = {from.map.y.size, from.map.x.size, view->in.channels};
  }
  if (from.vector || !view || from.map.y.size != view->in.rows ||
      from.map.x.size != view->in.columns || from.map.channels != view->in.channels) {
    return not_a_picture();
  }
  if (!averages_or_sums(op)) return max_pool_layer(index, *view);
  return view->over_all() ? pool(index) : window_pool_layer(index, *view);
}

}  // namespace edgetwin::edgetpu::compiler
