// Layers, pools and functions whose tensors do not fit narrow memory, band by band. A band is a
// rectangle of a tensor that is treated as a tensor of its own; what two bands need is computed
// twice.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// From the whole input, or the rows of it that are there.
RelocateSpec cut_of(const Band& band, const Store& whole) {
  const int64_t y = band.sent == nullptr ? band.of.y[0].begin : 0;
  return {&whole.map, &band.stores[0]->map, y, band.of.x[0].begin, 0, 0};
}

// Places of the input that the windows of some outputs read.
Span needed(const Window& w, const Span& outputs, int64_t size) {
  return {std::max<int64_t>(0, w.stride * outputs.begin - w.front),
          std::min(size, w.stride * (outputs.end - 1) + w.reach() - w.front)};
}

// The window as it goes over the input's part to make the output's part.
Window part_of(const Window& w, const Span& input, const Span& outputs) {
  Window part = w;
  part.outputs = outputs.size();
  part.front = w.front + input.begin - w.stride * outputs.begin;
  return part;
}

Span share(int64_t size, int64_t parts, int64_t k) {
  return {ceil_div(size * k, parts), ceil_div(size * (k + 1), parts)};
}

}  // namespace

int64_t Lowering::ends_of(const Banding& banding) {
  const std::vector<Layer> layers = layers_of(banding);
  const int64_t begin = store(layers.front().reading.from).map.bytes();
  return (banding.by_host ? 0 : begin) +
         store(graph().ops[layers.back().op].outputs[0]).map.bytes();
}

bool Lowering::fits(const Banding& banding) const {
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
  if (!may_fit(living, kNarrowBytes)) return false;
  int64_t named = place_regions(living, kNarrowBytes);
  for (const Region& r : living) named = std::max(named, r.base + r.bytes + r.reach);
  return named <= kNarrowBytes;
}

Rectangles Lowering::rectangles(const std::vector<Layer>& layers, const Banding& banding,
                                int64_t row, int64_t column) {
  const size_t n = layers.size();
  Rectangles r{std::vector<Span>(n + 1), std::vector<Span>(n + 1), std::vector<Windows>(n)};
  const Map& all = store(graph().ops[layers.back().op].outputs[0]).map;
  r.y[n] = share(all.y.size, banding.rows, row);
  r.x[n] = share(all.x.size, banding.columns, column);
  for (size_t k = n; k-- > 0;) {
    const Map& in = store(layers[k].reading.from).map;
    const Windows& w = layers[k].reading.windows;
    r.y[k] = needed(w.y, r.y[k + 1], in.y.size);
    r.x[k] = needed(w.x, r.x[k + 1], in.x.size);
    // The host sends whole rows, also where windows do not read the last columns.
    if (k == 0 && banding.by_host && banding.columns == 1) r.x[0] = {0, in.x.size};
    r.windows[k] = {part_of(w.y, r.y[k], r.y[k + 1]), part_of(w.x, r.x[k], r.x[k + 1])};
  }
  return r;
}

bool Lowering::bands(const Banding& banding) {
  std::vector<Layer> layers = layers_of(banding);
  now_ = layers.front().op;
  Store& result = store(graph().ops[layers.back().op].outputs[0]);
  if (!banding.results_wait() && !banding.mesh) result.region = region(result.map.bytes());
  if (!banding.mesh) keep_matrix();
  std::vector<Band> all;
  for (int64_t k = 0; k < banding.rows * banding.columns; ++k) {
    auto band =
        band_of(layers, rectangles(layers, banding, k / banding.columns, k % banding.columns));
    if (!band) return false;
    for (size_t n = 0; n < layers.size(); ++n) {
      layers[n].positions =
          std::max(layers[n].positions, ceil_div(band->of.y[n + 1].size(), kGrid) *
                                            ceil_div(band->of.x[n + 1].size(), kGrid));
    }
    all.push_back(std::move(*band));
  }
  if (!(banding.mesh ? by_mesh(banding, layers, all) : in_turn(banding, layers, all))) return false;
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

bool Lowering::in_turn(const Banding& banding, std::vector<Layer>& layers, std::vector<Band>& all) {
  const Store& whole = store(layers.front().reading.from);
  Store& result = store(graph().ops[layers.back().op].outputs[0]);
  const auto columns = static_cast<size_t>(banding.columns);
  if (banding.by_lines && !banding.by_host) cut_to_lines(banding, whole, all);
  for (size_t k = 0; k < all.size(); ++k) {
    if (banding.by_host && k % columns == 0 &&
        !send_rows(banding, layers, std::span(all).subspan(k, columns))) {
      return false;
    }
    if (!band(layers, all[k], k == 0)) return false;
    if (banding.results_wait() && k + 1 != all.size()) result_to_lines();
  }
  banding.results_wait() ? join_lines(result) : last_band(result);
  return true;
}

// Its tensors, without places.
std::optional<Band> Lowering::band_of(const std::vector<Layer>& layers, Rectangles r) {
  const size_t n = layers.size();
  Band band{std::move(r)};
  const auto &y = band.of.y, &x = band.of.x;
  for (size_t k = 0; k <= n; ++k) {
    const ValueId id = k < n ? layers[k].reading.from : graph().ops[layers.back().op].outputs[0];
    if (y[k].size() < kGrid || x[k].size() < kGrid) {
      refuse(Rule::narrow_memory, "its bands would have fewer than 4 rows or columns");
      return std::nullopt;
    }
    Store s;
    s.zero = s.edge = store(id).zero;
    if (k < n && graph().ops[layers[k].op].kind == OpKind::max_pool_2d) s.edge = 0;
    s.map.y = Axis(y[k].size());
    s.map.x = Axis(x[k].size());
    s.map.channels = store(id).map.channels;
    if (k < n) {
      s.map.y.widen(band.of.windows[k].y);
      s.map.x.widen(band.of.windows[k].x);
      if (!s.map.y.by_neighbours() || !s.map.x.by_neighbours()) {
        refuse(Rule::narrow_memory, "the windows of its bands reach over several tiles");
        return std::nullopt;
      }
    }
    band.stores.push_back(&band_stores_.emplace_back(s));
  }
  return band;
}

// The rectangle of the input to its place.
void Lowering::enter_band(const std::vector<Layer>& layers, const Band& band) {
  now_ = layers.front().op;
  const Store& whole = band.sent != nullptr ? *band.sent : store(layers.front().reading.from);
  Store& cut = *band.stores[0];
  if (band.sent == &cut) return border(cut);
  if (cut.region < 0) cut.region = region(cut.map.bytes());
  if (band.lines >= 0) {
    if (band_made_ != nullptr) last_band(store(graph().ops[layers.back().op].outputs[0]));
    if (band.part != 0) leave_lines(band, cut);
  } else {
    use(whole.region);
    std::vector<RelocateSpec> moved = {cut_of(band, whole)};
    // The result of the band before leaves at the same time.
    if (band_made_ != nullptr) {
      use(band_made_->region);
      moved.insert(moved.begin(), band_moved_);
    }
    const Store& result = store(graph().ops[layers.back().op].outputs[0]);
    if (result.region >= 0) use(result.region);
    emit([moved](Program& p) { relocate(p, moved); }, kTransferLowest);
  }
  border(cut);
}

// `first`: parameters are placed.
bool Lowering::band(std::vector<Layer>& layers, const Band& band, bool first) {
  const size_t n = layers.size();
  const auto &y = band.of.y, &x = band.of.x;
  enter_band(layers, band);
  if (!band_layers(layers, band, first, false)) return false;
  band_made_ = band.stores[n];
  const Store& result = store(graph().ops[layers.back().op].outputs[0]);
  band_moved_ = {&band_made_->map, &result.map, 0, 0, y[n].begin, x[n].begin};
  return true;
}

bool Lowering::band_layers(std::vector<Layer>& layers, const Band& band, bool first, bool by_mesh,
                           const BeforeLayer& before) {
  const auto &y = band.of.y, &x = band.of.x;
  const auto& windows = band.of.windows;
  const auto& stores = band.stores;
  for (size_t k = 0; k < layers.size(); ++k) {
    if (before && !before(k)) return false;
    now_ = layers[k].op;
    if (layers[k].reference == nullptr) {
      Store& to = *stores[k + 1];
      Store* other =
          by_mesh && layers[k].other != kAbsent ? &operand(layers, band, k, to) : nullptr;
      if (!banded(layers[k], *stores[k], windows[k], to, y[k + 1], x[k + 1], other)) {
        return false;
      }
      continue;
    }
    int gathered = -1;
    const auto spec = layer_spec(layers[k], *stores[k], windows[k], *stores[k + 1], &gathered);
    if (first && !settle_known(layers[k], *spec)) return false;
    emit_settled(layers[k], spec, *stores[k + 1], gathered);
    const bool words = layers[k].tiling.depthwise || layers[k].apart;
    border(*stores[k + 1], words ? Behind::barrier : Behind::layer);
  }
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
                      const Span& y, const Span& x, Store* other) {
  std::map<ValueId, Store*> here;
  if (layer.other != kAbsent && other != nullptr) {
    here[root(layer.other)] = other;
  } else if (layer.other != kAbsent) {
    Store& whole = store(layer.other);
    Store& cut = between(map_of(y.size(), x.size(), whole.map.channels), whole.zero);
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

// ---- rectangles that wait in wide memory

// Lines of wide memory, from this step on.
int Lowering::lines(int64_t n) {
  parked_regions_.push_back({n, step(), step(), 0});
  return static_cast<int>(parked_regions_.size() - 1);
}

int64_t Lowering::line_at(int lines) const {
  return parked_line() + parked_regions_[static_cast<size_t>(lines)].base;
}

// Rectangles leave a tensor, the first one for its place if `first` is set. Gives the lines in
// which the others wait.
int Lowering::wait_in_lines(const Store& from, const Waiting& how, bool first) {
  const int out = lines(0), in = lines(0);
  in_lines_.push_back({out, in, how});
  use(from.region);
  emit([this, how, out, in,
        first](Program& p) { to_lines(p, how, line_at(out), line_at(in), first); },
       kWideTop);
  return in;
}

// Of all bands, or of a row of them; the first one's rectangle has its place at once.
void Lowering::cut_to_lines(const Banding& banding, const Store& whole, std::span<Band> all) {
  cuts_ = {{}, banding.shared};
  for (const Band& band : all) cuts_.parts.push_back(cut_of(band, whole));
  Store& first = *all[0].stores[0];
  first.region = region(first.map.bytes());
  const int waiting = wait_in_lines(whole, cuts_, true);
  for (size_t k = 0; k < all.size(); ++k) all[k].lines = waiting, all[k].part = k;
}

void Lowering::result_to_lines() {
  const Waiting how{{band_moved_}};
  waiting_.emplace_back(wait_in_lines(*band_made_, how, false), how);
  band_made_ = nullptr;
}

void Lowering::leave_lines(const Band& band, const Store& to) {
  parked_regions_[static_cast<size_t>(band.lines)].last = step();
  use(to.region);
  emit([this, how = cuts_, part = band.part,
        lines = band.lines](Program& p) { from_lines(p, how, part, line_at(lines)); },
       kWideTop);
}

// Results that wait and that of the last band, to the tensor that they are parts of.
void Lowering::join_lines(Store& result) {
  result.region = region(result.map.bytes());
  use(band_made_->region);
  for (const auto& [lines, how] : waiting_) {
    parked_regions_[static_cast<size_t>(lines)].last = step();
  }
  emit(
      [this, all = waiting_, last = band_moved_](Program& p) {
        for (const auto& [lines, how] : all) from_lines(p, how, 0, line_at(lines));
        by_lines(p, last, !all.empty());
      },
      kTransferLowest);
  waiting_.clear();
  band_made_ = nullptr;
}

}  // namespace edgetwin::edgetpu::compiler
