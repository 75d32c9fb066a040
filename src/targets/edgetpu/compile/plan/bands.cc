// Layers, pools and functions whose tensors do not fit narrow memory, band by band. A band is a
// rectangle of a tensor that is treated as a tensor of its own; what two bands need is computed
// twice.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
// Places of the input that the windows of some outputs read.
Span Lowering::needed(const Window& w, const Span& outputs, int64_t size) {
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

Span Lowering::part(int64_t size, int64_t parts, int64_t k) {
  return {ceil_div(size * k, parts), ceil_div(size * (k + 1), parts)};
}

int64_t Lowering::ends_of(const Banding& banding) {
  const std::vector<Layer> layers = layers_of(banding);
  return store(layers.front().reading.from).map.bytes() +
         store(graph().ops[layers.back().op].outputs[0]).map.bytes();
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
  keep_matrix();
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
  last_band(result);
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
    if (k < n && graph().ops[layers[k].op].kind == OpKind::max_pool_2d) s.edge = 0;
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
  // The result of the band before leaves at the same time.
  std::vector<RelocateSpec> moved = {{&whole.map, &cut.map, y[0].begin, x[0].begin, 0, 0}};
  if (band_made_ != nullptr) {
    use(band_made_->region);
    moved.insert(moved.begin(), band_moved_);
  }
  use(store(graph().ops[layers.back().op].outputs[0]).region);
  emit([moved](Program& p) { relocate(p, moved); }, kTransferLowest);
  border(cut);
  for (size_t k = 0; k < n; ++k) {
    now_ = layers[k].op;
    if (layers[k].reference == nullptr) {
      if (!banded(layers[k], *stores[k], windows[k], *stores[k + 1], y[k + 1], x[k + 1])) {
        return false;
      }
      continue;
    }
    int gathered = -1;
    const auto spec = layer_spec(layers[k], *stores[k], windows[k], *stores[k + 1], &gathered);
    if (first && !settle_known(layers[k], *spec)) return false;
    emit_layer(layers[k], spec, gathered);
    border(*stores[k + 1], !layers[k].tiling.depthwise);
  }
  band_made_ = stores[n];
  const Store& result = store(graph().ops[layers.back().op].outputs[0]);
  band_moved_ = {&band_made_->map, &result.map, 0, 0, y[n].begin, x[n].begin};
  return true;
}

// The last band's result to its place.
void Lowering::last_band(const Store& result) {
  use(band_made_->region), use(result.region);
  emit([moved = band_moved_](Program& p) { relocate(p, moved); }, kTransferLowest);
  band_made_ = nullptr;
}

// An operator without weights in a band, as it is elsewhere. Its other operand lies outside of the
// chain.
bool Lowering::banded(const Layer& layer, Store& from, const Windows& windows, Store& to,
                      const Span& y, const Span& x) {
  std::map<ValueId, Store*> here;
  if (layer.other != kAbsent) {
    Store& whole = store(layer.other);
    Map map;
    map.y = Axis(y.size());
    map.x = Axis(x.size());
    map.channels = whole.map.channels;
    Store& cut = between(map, whole.zero);
    use(whole.region);
    emit(
        [&whole, &cut, top = y.begin, left = x.begin](Program& p) {
          relocate(p, {&whole.map, &cut.map, top, left, 0, 0});
        },
        kTransferLowest);
    here[root(layer.other)] = &cut;
  }
  here[root(layer.reading.from)] = &from;
  here[root(graph().ops[layer.op].outputs[0])] = &to;
  const size_t planned = planned_.size();
  band_of_ = std::move(here);
  band_windows_ = windows;
  const bool good = op(layer.op);
  band_of_.clear();
  band_windows_.reset();
  planned_.erase(planned_.begin() + static_cast<std::ptrdiff_t>(planned), planned_.end());
  return good;
}

}  // namespace edgetwin::edgetpu::compiler
