// Operators in strips: each tile computes some of its rows at a time, with those above and below
// that windows reach. Columns beside a tile come from its neighbours as ever; rows above and below
// are computed in both tiles, out of borders of what the strips begin with.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

bool Lowering::read_after(size_t place, ValueId id) const {
  for (size_t k = place + 1; k < segment_.ops.size(); ++k) {
    for (const ValueId in : graph().ops[segment_.ops[k]].inputs) {
      if (in != kAbsent && root(in) == id) return true;
    }
  }
  return false;
}

// The lines of a parked tensor of the same size that these strips are the last to read, each row
// before they make that row of `id`: the new rows take the place of the old ones. -1: there is
// none.
int Lowering::lines_over(const Banding& banding, ValueId id) const {
  const Parked& to = parked_.at(id);
  const auto same = [](const Span& a, const Span& b) {
    return a.begin == b.begin && a.end == b.end;
  };
  const StripRows rows = strip_rows(banding, 0);
  for (size_t k = banding.first; k <= banding.last; ++k) {
    const size_t index = segment_.ops[k];
    if (alias_.contains(graph().ops[index].outputs[0])) continue;
    for (const StripReading& r : strip_readings(index)) {
      const ValueId in = root(r.from);
      const auto from = parked_.find(in);
      if (from == parked_.end() || makes(banding, in) || read_after(banding.last, in)) continue;
      const Map &a = stores_.at(in).map, &b = stores_.at(id).map;
      const bool taken = std::ranges::any_of(banding.kept, [&](ValueId other) {
        const auto p = parked_.find(other);
        return p != parked_.end() && p->second.region == from->second.region;
      });
      if (!taken && same(from->second.border, to.border) && height(in) == height(id) &&
          park_lines(a) == park_lines(b) && same(rows.at(in), {0, height(in) / banding.rows})) {
        return from->second.region;
      }
    }
    if (graph().ops[index].outputs[0] == id) break;
  }
  return -1;
}

bool Lowering::strips(const Banding& banding) {
  now_ = segment_.ops[banding.first];
  for (const ValueId id : banding.kept) {
    if (const auto p = parked_.find(id); p != parked_.end()) {
      p->second.region = lines_over(banding, id);
      if (p->second.region >= 0) continue;
      const Span& border = p->second.border;
      const int64_t rows = height(id) + border.size();
      p->second.region = static_cast<int>(parked_regions_.size());
      parked_regions_.push_back({rows * park_lines(store(id).map), step(), step(), 0});
    } else if (!has(banding.left, id)) {
      place_map(store(id));
    }
  }
  std::map<size_t, Layer> layers;
  for (int64_t n = 0; n < banding.rows; ++n) {
    if (!strip(banding, n, layers)) return false;
  }
  for (size_t k = banding.first; k <= banding.last; ++k) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made)) continue;
    const bool waits = parked_.contains(made);
    planned_.push_back({index,
                        "in " + std::to_string(banding.rows) + " strips" +
                            (waits ? ", result in wide memory" : "") +
                            (has(banding.left, made) ? ", result to the host" : ""),
                        store(made).map.bytes(), 0});
  }
  for (const ValueId id : banding.kept) {
    if (parked_.contains(id)) {
      park_borders(id);
    } else if (!has(banding.left, id)) {
      border(store(id));
    }
  }
  return true;
}

bool Lowering::strip(const Banding& banding, int64_t n, std::map<size_t, Layer>& layers) {
  const StripRows rows = strip_rows(banding, n);
  std::map<ValueId, Held> held;
  for (const auto& [id, span] : rows) {
    Store& whole = store(id);
    if (whole.region < 0) continue;
    use(whole.region);
    const int64_t front = whole.map.y.front[0];
    held[id] = {whole.region, {-front, whole.map.y.total(0) - front}};
  }
  for (size_t k = banding.first; k <= banding.last; ++k) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made) || !rows.contains(made)) continue;
    now_ = index;
    for (const StripReading& r : strip_readings(index)) {
      const ValueId from = root(r.from);
      if (held.contains(from)) continue;
      const auto here = has(banding.come, from) ? take_rows(from, rows.at(from))
                                                : bring_parked(from, rows.at(from));
      if (!here) return false;
      held[from] = *here;
    }
    if (!strip_op(index, rows.at(made), held, layers)) return false;
    if (!has(banding.kept, made)) continue;
    const int64_t each = height(made) / banding.rows;
    const Held& h = held.at(made);
    const Span own{n * each, (n + 1) * each};
    if (has(banding.left, made)) leave_rows(made, strip_view(made, h, own, nullptr), own.begin);
    if (!parked_.contains(made)) continue;
    move_parked(made, strip_view(made, h, h.rows, nullptr), own.begin - h.rows.begin, own, true);
  }
  return true;
}

// Rows that a view has are its own part in each tile; where a window goes over them, those beside
// them are its border.
Store& Lowering::strip_view(ValueId id, const Held& held, const Span& rows, const Window* w) {
  const Store& whole = store(id);
  Store s;
  s.zero = whole.zero, s.edge = whole.edge, s.two_edges = whole.two_edges;
  s.map.channels = whole.map.channels;
  s.map.x = whole.map.x;
  s.map.y = Axis(kGrid * rows.size());
  if (w != nullptr) s.map.y.widen(*w);
  s.region = held.region;
  if (held.region >= 0) {
    s.offset = (rows.begin - s.map.y.front[0] - held.rows.begin) * s.map.row(0);
  }
  return band_stores_.emplace_back(s);
}

// One operator, which makes `rows` of its result.
bool Lowering::strip_op(size_t index, const Span& rows, std::map<ValueId, Held>& held,
                        std::map<size_t, Layer>& layers) {
  const Op& op = graph().ops[index];
  const ValueId made = op.outputs[0];
  std::map<ValueId, Store*> views;
  Windows windows;
  Store* from = nullptr;
  for (const StripReading& r : strip_readings(index)) {
    windows = r.windows;
    windows.y.outputs = kGrid * rows.size();
    const Span own = r.times > 1 ? Span{rows.begin / r.times, rows.end / r.times}
                                 : Span{windows.y.stride * rows.begin, windows.y.stride * rows.end};
    const bool here = r.times == 1 && windows.y.kernel > 1;
    from = &strip_view(root(r.from), held.at(root(r.from)), own, here ? &windows.y : nullptr);
    views[root(r.from)] = from;
  }
  const auto there = held.find(made);
  Store& to = strip_view(made, there != held.end() ? there->second : Held{}, rows, nullptr);
  const auto layer = source_.layers.find(index);
  const bool weighted = op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d;
  if (weighted && layer != source_.layers.end()) {
    const bool fresh = !layers.contains(index);
    Layer& l = layers[index];
    l.op = index;
    l.reference = &layer->second;
    l.reading.from = strip_readings(index)[0].from;
    int whole = -1;
    const auto spec = layer_spec(l, *from, windows, to, &whole);
    if (fresh && !settle_known(l, *spec)) return false;
    emit_settled(l, spec, to, whole);
    border(to, l.tiling.depthwise || l.apart ? Behind::barrier : Behind::layer);
  } else {
    views[made] = &to;
    const size_t planned = planned_.size();
    band_of_ = std::move(views);
    band_windows_ = windows;
    const bool good = this->op(index);
    band_of_.clear();
    band_windows_.reset();
    planned_.erase(planned_.begin() + static_cast<std::ptrdiff_t>(planned), planned_.end());
    if (!good) return false;
  }
  if (there == held.end()) held[made] = {to.region, rows};
  fill_edges(made, to, rows);
  return true;
}

// In a form that public programs have: else another number of parts is tried.
bool Lowering::settle_known(Layer& layer, LayerSpec& spec) {
  if (!settle_tiling(layer, spec)) return false;
  spec.tiling = layer.tiling;
  if (layer.tiling.depthwise || source_.forms.has(spec) || settle_apart(layer, spec)) return true;
  return refuse(Rule::form, "its instructions would have a form that no public program has");
}

// Rows that lie above or below the picture are what windows read there.
void Lowering::fill_edges(ValueId id, const Store& made, const Span& rows) {
  const int64_t above = std::max<int64_t>(0, -rows.begin);
  const int64_t below = std::clamp<int64_t>(rows.end - last_height(id), 0, rows.size());
  const auto byte = static_cast<uint32_t>(made.edge < 0 || made.edge > 255 ? made.zero : made.edge);
  const auto filled = [&](int64_t first, int64_t count, uint32_t tiles) {
    if (count == 0) return;
    use(made.region);
    emit(
        [&made, first, count, tiles, byte](Program& p) {
          const int64_t row = made.map.row(0) / 4;
          fill(p, Opcode::move_up, tiles,
               {.start = made.map.base / 4 + first * row, .dims = {{1, count * row}}},
               byte * 0x01010101U);
        },
        kWideTop);
  };
  constexpr uint32_t kTop = 0x000F, kBottom = 0xF000;
  filled(0, above, kTop);
  filled(rows.size() - below, below, kBottom);
}

std::optional<Held> Lowering::bring_parked(ValueId id, const Span& rows) {
  Store& s = strip_view(id, {}, rows, nullptr);
  s.region = region(s.map.bytes());
  move_parked(id, s, 0, rows, false);
  border(s);
  return Held{s.region, rows};
}

// Rows of a parked tensor from row `first` of a buffer, or to it.
void Lowering::move_parked(ValueId id, const Store& buffer, int64_t first, const Span& rows,
                           bool there) {
  const Parked& p = parked_.at(id);
  use(buffer.region);
  parked_regions_[static_cast<size_t>(p.region)].last = step();
  const int64_t before = (rows.begin - p.border.begin) * park_lines(buffer.map);
  emit(
      [this, &buffer, first, before, region = static_cast<size_t>(p.region), n = rows.size(),
       there](Program& program) {
        const int64_t line = parked_line() + parked_regions_[region].base + before;
        const ParkSpec spec{&buffer.map, first, n, line};
        if (there) {
          park(program, spec);
        } else {
          unpark(program, spec);
        }
      },
      kWideTop);
}

// Rows above and below a tile's own are those of its neighbours: the first and last rows of all
// tiles are a tensor that has such a border.
void Lowering::park_borders(ValueId id) {
  const Span border_rows = parked_.at(id).border;
  const int64_t front = -border_rows.begin, back = border_rows.end, rows = height(id);
  if (front + back == 0) return;
  const Store& whole = store(id);
  Map map;
  map.channels = whole.map.channels;
  map.x = Axis(whole.map.x.size);
  map.y = Axis(kGrid * (front + back));
  map.y.widen(Window{map.y.size, front + back + 1, 1, front, 1});
  Store& ends = between(map, whole.zero);
  ends.edge = whole.edge;
  if (back > 0) move_parked(id, ends, front, {0, back}, false);
  if (front > 0) move_parked(id, ends, front + back, {rows - front, rows}, false);
  border(ends);
  if (front > 0) move_parked(id, ends, 0, {-front, 0}, true);
  if (back > 0) move_parked(id, ends, 2 * front + back, {rows, rows + back}, true);
}

// Borders of what strips begin with and leave, as wide as all of their operators want them.
void Lowering::border_strips() {
  for (const Banding& b : bandings_) {
    if (!b.strips) continue;
    const StripRows first = strip_rows(b, 0), last = strip_rows(b, b.rows - 1);
    for (const auto& [id, rows] : first) {
      if (has(b.come, id) || (has(b.left, id) && !has(b.parked, id))) continue;
      const int64_t front = std::max<int64_t>(0, -rows.begin);
      const int64_t back = std::max<int64_t>(0, last.at(id).end - height(id));
      if (const auto p = parked_.find(id); p != parked_.end()) {
        p->second.border.begin = std::min(p->second.border.begin, -front);
        p->second.border.end = std::max(p->second.border.end, back);
        continue;
      }
      Store& s = stores_.at(id);
      s.map.y.widen(Window{s.map.y.size, front + back + 1, 1, front, 1});
    }
  }
}

}  // namespace edgetwin::edgetpu::compiler
