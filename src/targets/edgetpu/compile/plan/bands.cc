// Layers whose tensors do not fit narrow memory, band by band. A band is a rectangle of a tensor
// that is treated as a tensor of its own; what two bands need is computed twice.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
// Places of the input that the windows of some outputs read.
Lowering::Span Lowering::needed(const Window& w, const Span& outputs, int64_t size) {
  return {std::max<int64_t>(0, w.stride * outputs.begin - w.front),
          std::min(size, w.stride * (outputs.end - 1) + w.reach() - w.front)};
}

// The window as it goes over the input's part to make the output's part.
Window Lowering::part_of(const Window& w, const Span& input, const Span& outputs) {
  Window part = w;
  part.outputs = outputs.size();
  part.front = w.front + input.begin - w.stride * outputs.begin;
  return part;
}

Lowering::Span Lowering::part(int64_t size, int64_t parts, int64_t k) {
  return {ceil_div(size * k, parts), ceil_div(size * (k + 1), parts)};
}

// The cut banding that an operator is in.
const Banding* Lowering::banding_at(size_t place) const {
  for (const Banding& b : bandings_) {
    if (b.cut() && place >= b.first && place <= b.last) return &b;
  }
  return nullptr;
}

// A convolution between two pictures.
bool Lowering::can_band(size_t place) const {
  const Op& op = graph().ops[segment_.ops[place]];
  if (op.kind != OpKind::conv_2d && op.kind != OpKind::depthwise_conv_2d) return false;
  if (!is_map(value(op.outputs[0])) || !is_map(value(op.inputs[0]))) return false;
  const ReferenceLayer& layer = source_.layers.at(segment_.ops[place]);
  const ValueId from = root(reading_of(op, layer.shape.kernel_h, layer.shape.kernel_w).from);
  const auto found = stores_.find(from);
  return found != stores_.end() && !found->second.vector;
}

// Nothing but the next operators of the chain needs the result.
bool Lowering::inner(size_t place) const {
  const ValueId result = root(graph().ops[segment_.ops[place]].outputs[0]);
  for (const ValueId id : segment_.outputs) {
    if (root(id) == result) return false;
  }
  size_t readers = 0;
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    const bool same = alias_.contains(op.outputs[0]);
    for (const ValueId id : op.inputs) {
      readers += id != kAbsent && !same && root(id) == result ? 1 : 0;
    }
  }
  return readers == 1;
}

std::vector<Lowering::Layer> Lowering::layers_of(const Banding& banding) const {
  std::vector<Layer> layers;
  for (size_t k = banding.first; k <= banding.last; ++k) {
    const size_t index = segment_.ops[k];
    const Op& op = graph().ops[index];
    if (alias_.contains(op.outputs[0])) continue;
    const ReferenceLayer& r = source_.layers.at(index);
    layers.push_back({index, &r, reading_of(op, r.shape.kernel_h, r.shape.kernel_w), 0, {}, 0});
  }
  return layers;
}

// From a layer that does not fit back to where its tensors are smallest, and on while they shrink
// or do not fit. Source: specification "bands" 1, of layers in a chain.
std::vector<Banding> Lowering::find_bandings() {
  std::vector<int64_t> living(steps_.size(), 0);
  for (const Region& r : regions_) {
    for (int64_t k = r.first; k <= std::min<int64_t>(r.last, step() - 1); ++k) {
      living[static_cast<size_t>(k)] += r.bytes;
    }
  }
  std::set<size_t> bad;
  for (size_t k = 0; k < steps_.size(); ++k) {
    if (living[k] > kNarrowBytes) bad.insert(step_ops_[k]);
  }
  // Operators with instructions, in order.
  std::vector<size_t> places;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    if (!alias_.contains(graph().ops[segment_.ops[k]].outputs[0])) places.push_back(k);
  }
  const auto result_of = [&](size_t n) {
    return stores_.at(root(graph().ops[segment_.ops[places[n]]].outputs[0])).map.bytes();
  };
  const auto input_of = [&](size_t n) {
    return stores_.at(root(graph().ops[segment_.ops[places[n]]].inputs[0])).map.bytes();
  };
  const auto follows = [&](size_t n) {  // n reads what n - 1 makes, and nothing else does
    return inner(places[n - 1]) && root(graph().ops[segment_.ops[places[n]]].inputs[0]) ==
                                       root(graph().ops[segment_.ops[places[n - 1]]].outputs[0]);
  };
  const auto is_bad = [&](size_t n) { return bad.contains(segment_.ops[places[n]]); };
  std::vector<Banding> all;
  size_t free = 0;
  for (size_t n = 0; n < places.size(); ++n) {
    if (n < free || !is_bad(n) || !can_band(places[n])) continue;
    size_t first = n, last = n;
    for (size_t k = n; k > free && can_band(places[k - 1]) && follows(k); --k) {
      if (input_of(k - 1) > input_of(k)) break;
      if (input_of(k - 1) < input_of(first)) first = k - 1;
    }
    while (last + 1 < places.size() && can_band(places[last + 1]) && follows(last + 1) &&
           (is_bad(last + 1) || result_of(last + 1) < result_of(last) ||
            (last + 2 < places.size() && is_bad(last + 2) &&
             result_of(last + 1) == result_of(last)))) {
      ++last;
    }
    all.push_back({places[first], places[last], 1, 1});
    free = last + 1;
  }
  return all;
}

int64_t Lowering::narrow_of(const Banding& banding) const {
  std::set<size_t> ops;
  for (size_t k = banding.first; k <= banding.last; ++k) ops.insert(segment_.ops[k]);
  int64_t first = -1, last = -1;
  for (size_t k = 0; k < steps_.size(); ++k) {
    if (!ops.contains(step_ops_[k])) continue;
    if (first < 0) first = static_cast<int64_t>(k);
    last = static_cast<int64_t>(k);
  }
  std::vector<Region> living;
  for (const Region& r : regions_) {
    if (r.first <= last && r.last >= first) living.push_back(r);
  }
  return place_regions(living, kNarrowBytes);
}

Lowering::Rectangles Lowering::rectangles(const std::vector<Layer>& layers, const Banding& banding,
                                          int64_t row, int64_t column) {
  const size_t n = layers.size();
  Rectangles r{std::vector<Span>(n + 1), std::vector<Span>(n + 1), std::vector<Windows>(n)};
  const Map& all = store(graph().ops[layers.back().op].outputs[0]).map;
  r.y[n] = part(all.y.size, banding.rows, row);
  r.x[n] = part(all.x.size, banding.columns, column);
  for (size_t k = n; k-- > 0;) {
    const Map& in = store(layers[k].reading.from).map;
    const Windows& w = layers[k].reading.windows;
    r.y[k] = needed(w.y, r.y[k + 1], in.y.size);
    r.x[k] = needed(w.x, r.x[k + 1], in.x.size);
    r.windows[k] = {part_of(w.y, r.y[k], r.y[k + 1]), part_of(w.x, r.x[k], r.x[k + 1])};
  }
  return r;
}

bool Lowering::bands(const Banding& banding) {
  std::vector<Layer> layers = layers_of(banding);
  now_ = layers.front().op;
  const Op& end = graph().ops[layers.back().op];
  Store& result = store(end.outputs[0]);
  result.region = region(result.map.bytes());
  for (int64_t k = 0; k < banding.rows * banding.columns; ++k) {
    const Rectangles r = rectangles(layers, banding, k / banding.columns, k % banding.columns);
    for (size_t n = 0; n < layers.size(); ++n) {
      layers[n].positions = std::max(layers[n].positions, ceil_div(r.y[n + 1].size(), kGrid) *
                                                              ceil_div(r.x[n + 1].size(), kGrid));
    }
  }
  for (int64_t row = 0; row < banding.rows; ++row) {
    for (int64_t column = 0; column < banding.columns; ++column) {
      if (!band(layers, banding, row, column, row + column == 0)) return false;
    }
  }
  for (const Layer& l : layers) {
    planned_.push_back(
        {l.op,
         "in " + std::to_string(banding.rows) + " x " + std::to_string(banding.columns) + " bands",
         store(graph().ops[l.op].outputs[0]).map.bytes(), 0});
  }
  now_ = layers.back().op;
  border(result);
  return true;
}

// `first`: parameters are placed.
bool Lowering::band(std::vector<Layer>& layers, const Banding& banding, int64_t row, int64_t column,
                    bool first) {
  const size_t n = layers.size();
  const Rectangles made_of = rectangles(layers, banding, row, column);
  const auto &y = made_of.y, &x = made_of.x;
  const auto& windows = made_of.windows;
  std::vector<Store*> stores;
  for (size_t k = 0; k <= n; ++k) {
    const ValueId id = k < n ? layers[k].reading.from : graph().ops[layers.back().op].outputs[0];
    if (y[k].size() < kGrid || x[k].size() < kGrid) {
      return refuse(Rule::narrow_memory, "its bands would have fewer than 4 rows or columns");
    }
    Store s;
    s.zero = s.edge = store(id).zero;
    s.map.y = Axis(y[k].size());
    s.map.x = Axis(x[k].size());
    s.map.channels = store(id).map.channels;
    if (k < n) {
      s.map.y.widen(windows[k].y);
      s.map.x.widen(windows[k].x);
      if (!s.map.y.by_neighbours() || !s.map.x.by_neighbours()) {
        return refuse(Rule::narrow_memory, "the windows of its bands reach over several tiles");
      }
    }
    stores.push_back(&band_stores_.emplace_back(std::move(s)));
  }
  now_ = layers.front().op;
  Store& whole = store(layers.front().reading.from);
  use(whole.region);
  Store& cut = *stores[0];
  cut.region = region(cut.map.bytes());
  emit(
      [&whole, &cut, top = y[0].begin, left = x[0].begin](Program& p) {
        relocate(p, {&whole.map, &cut.map, top, left, 0, 0});
      },
      kTransferLowest);
  border(cut);
  for (size_t k = 0; k < n; ++k) {
    now_ = layers[k].op;
    int gathered = -1;
    const auto spec = layer_spec(layers[k], *stores[k], windows[k], *stores[k + 1], &gathered);
    if (first && !settle_tiling(layers[k], *spec)) return false;
    emit_layer(layers[k], spec, gathered);
    border(*stores[k + 1]);
  }
  Store& made = *stores[n];
  Store& result = store(graph().ops[layers.back().op].outputs[0]);
  use(made.region), use(result.region);
  emit(
      [&made, &result, top = y[n].begin, left = x[n].begin](Program& p) {
        relocate(p, {&made.map, &result.map, 0, 0, top, left});
      },
      kTransferLowest);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
