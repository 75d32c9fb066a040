// Which operators are computed in strips: runs whose tensors do not fit narrow memory, with
// branches that meet. Each tile takes some of its own rows at a time, so that nothing but borders
// goes from tile to tile. What others need of a run is whole in narrow memory or parked in wide
// memory.
#include <algorithm>
#include <numeric>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

bool is_weighted(const Op& op) {
  return op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d;
}

bool pools_windows(const Op& op) {
  return op.kind == OpKind::average_pool_2d || op.kind == OpKind::max_pool_2d;
}

bool joins_channels(const Graph& g, const Op& op) {
  if (op.kind != OpKind::concatenation) return false;
  const int axis = op.as<ConcatAttrs>().axis, rank = g.value(op.outputs[0]).shape.rank();
  return axis == rank - 1 || axis == -1;
}

// Position by position, of tensors of one size.
bool pointwise(const Graph& g, const Op& op) {
  if (is_unary(op)) return true;
  switch (op.kind) {
    case OpKind::add:
    case OpKind::sub:
    case OpKind::mul:
      if (takes_constant(g, op, 0) || takes_constant(g, op, 1)) return false;
      if (g.value(op.inputs[0]).is_constant()) return false;
      return is_number(g.value(op.inputs[1])) ||
             g.value(op.inputs[0]).shape == g.value(op.inputs[1]).shape;
    default:
      return joins_channels(g, op);
  }
}

// Each output is made of one position, and some rows of them of each.
bool is_interleaved(const TransposedPhases& phases, const TransposeConvAttrs& a) {
  const auto one = [](const TransposedPhase& p) {
    return p.window.kernel == 1 && p.window.front == 0;
  };
  return a.stride_h > 1 && std::ranges::all_of(phases.y, one) && std::ranges::all_of(phases.x, one);
}

// All tiles have as many rows, and rows of as many bytes.
bool is_even(const Map& m) {
  const auto same = [](const auto& border) {
    return std::ranges::all_of(border, [&](int64_t n) { return n == border[0]; });
  };
  return m.y.size % kGrid == 0 && m.x.size % kGrid == 0 && same(m.x.front) && same(m.x.back);
}

// Rows of the input that rows of the result are made of, with those between them.
Span read_by(const StripReading& r, const Span& rows) {
  if (r.times > 1) return {rows.begin / r.times, rows.end / r.times};
  const Window& w = r.windows.y;
  return {w.stride * rows.begin - w.front,
          w.stride * rows.end + std::max<int64_t>(0, w.reach() - w.stride - w.front)};
}

Span rounded_out(const Span& s, int64_t by) {
  const auto down = [by](int64_t n) { return n >= 0 ? n / by * by : -ceil_div(-n, by) * by; };
  return {down(s.begin), -down(-s.end)};
}

}  // namespace

// Of the tensors that an operator reads, PAD before it looked through. None: no strips.
std::vector<StripReading> Lowering::strip_readings(size_t index) const {
  const Op& op = graph().ops[index];
  constexpr Window kHere{1, 1, 1, 0, 1};
  if (is_weighted(op)) {
    const ReferenceLayer& layer = source_.layers.at(index);
    const Reading r = reading_of(op, layer.shape.kernel_h, layer.shape.kernel_w);
    return {{r.from, r.windows}};
  }
  if (pools_windows(op)) {
    const auto view = view_of_pool(op);
    if (!view || view->turned) return {};
    return {{root(op.inputs[0]), view->windows}};
  }
  if (op.kind == OpKind::resize_nearest_neighbor) {
    const auto &in = stores_.at(root(op.inputs[0])), &out = stores_.at(root(op.outputs[0]));
    const int64_t times = repeats(in.map.y.size, out.map.y.size);
    if (times < 2 || repeats(in.map.x.size, out.map.x.size) == 0) return {};
    if (op.as<ResizeAttrs>().align_corners || picked_positions(graph(), op)) return {};
    return {{op.inputs[0], {kHere, kHere}, times}};
  }
  if (op.kind == OpKind::transpose_conv) {
    const auto& a = op.as<TransposeConvAttrs>();
    if (!is_interleaved(transposed_phases(graph(), op), a)) return {};
    return {{root(data_of(op)), {kHere, kHere}, a.stride_h}};
  }
  std::vector<StripReading> all;
  if (!pointwise(graph(), op)) return all;
  for (const ValueId id : op.inputs) {
    if (!value(id).is_constant()) all.push_back({id, {kHere, kHere}});
  }
  return all;
}

bool Lowering::can_strip(size_t place) const {
  const size_t index = segment_.ops[place];
  const Op& op = graph().ops[index];
  const auto picture = [&](ValueId id) {
    const auto s = stores_.find(root(id));
    return is_map(value(id)) && s != stores_.end() && !s->second.vector && is_even(s->second.map);
  };
  if (!picture(op.outputs[0]) || pieces_.contains(index)) return false;
  if (op.kind == OpKind::resize_nearest_neighbor && !picture(op.inputs[0])) return false;
  const std::vector<StripReading> readings = strip_readings(index);
  const Map& out = stores_.at(root(op.outputs[0])).map;
  return !readings.empty() && std::ranges::all_of(readings, [&](const StripReading& r) {
    if (!picture(r.from)) return false;
    const Store& in = stores_.at(root(r.from));
    const Window& w = r.windows.y;
    if (w.front < 0 || in.map.y.size * r.times != out.y.size * w.stride) return false;
    if (!neighbours(in, r.windows)) return false;
    const bool over = w.front > 0 || w.reach() > w.stride || !inside(r.windows, value(r.from));
    if (op.kind == OpKind::average_pool_2d) return !over;
    if (op.kind == OpKind::max_pool_2d) return !over || (in.edge == 0 && !in.two_edges);
    return !over || !is_weighted(op) || in.edge == in.zero || in.edge < 0;
  });
}

// One of the segment's own tensors that does not stay whole in narrow memory.
bool Lowering::is_large(ValueId id, int64_t most) const {
  const auto s = stores_.find(root(id));
  if (s == stores_.end() || s->second.vector || s->second.map.bytes() <= most) return false;
  return std::ranges::find(segment_.inputs, root(id)) == segment_.inputs.end();
}

bool Lowering::touches_large(size_t place, int64_t most) const {
  const Op& op = graph().ops[segment_.ops[place]];
  const auto large = [&](ValueId id) { return id != kAbsent && is_large(id, most); };
  const bool whole = !pieces_.contains(segment_.ops[place]);  // else its result never is
  return std::ranges::any_of(op.inputs, large) || (whole && large(op.outputs[0]));
}

// The places of the first and the last operator that reads each tensor; those of results of the
// segment lie outside of it.
void Lowering::find_readers() {
  readers_.clear();
  const auto read = [&](ValueId id, int64_t place) {
    Span& places = readers_.try_emplace(root(id), Span{place, place}).first->second;
    places = {std::min(places.begin, place), std::max(places.end, place)};
  };
  for (const ValueId out : segment_.outputs) read(out, -1);
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    const Op& op = graph().ops[segment_.ops[k]];
    if (alias_.contains(op.outputs[0])) continue;
    for (const ValueId in : op.inputs) {
      if (in != kAbsent) read(in, static_cast<int64_t>(k));
    }
  }
}

bool Lowering::needed_outside(const Banding& b, ValueId id) const {
  const auto places = readers_.find(id);
  return places != readers_.end() && (places->second.begin < static_cast<int64_t>(b.first) ||
                                      places->second.end > static_cast<int64_t>(b.last));
}

bool Lowering::makes(const Banding& b, ValueId id) const {
  for (size_t k = b.first; k <= b.last; ++k) {
    if (graph().ops[segment_.ops[k]].outputs[0] == id) return true;
  }
  return false;
}

// What others need of the strips' results. Not where it cannot be parked and is too large.
bool Lowering::keep_of(Banding& b, int64_t most) const {
  b.kept.clear(), b.parked.clear();
  for (size_t k = b.first; k <= b.last; ++k) {
    const ValueId id = graph().ops[segment_.ops[k]].outputs[0];
    if (alias_.contains(id) || !needed_outside(b, id)) continue;
    b.kept.push_back(id);
    const bool given =
        std::ranges::any_of(segment_.outputs, [&](ValueId out) { return root(out) == id; });
    if (given || !is_large(id, most)) continue;
    if (park_lines(stores_.at(id).map) == 0) return false;
    b.parked.push_back(id);
  }
  return true;
}

// The operator makes or goes on with what is too large, and not too much is computed twice.
bool Lowering::strip_goes_on(Banding b, size_t place, int64_t most, bool again) const {
  if (!can_strip(place)) return false;
  const Op& next = graph().ops[segment_.ops[place]];
  bool reads = false;
  for (size_t k = b.first; k <= b.last; ++k) {
    const ValueId made = graph().ops[segment_.ops[k]].outputs[0];
    if (alias_.contains(made) || !is_large(made, most)) continue;
    reads = reads || std::ranges::any_of(next.inputs, [&](ValueId id) {
              return id != kAbsent && root(id) == made;
            });
  }
  if (!reads && !is_large(next.outputs[0], most)) return false;
  constexpr int64_t kPart = 8;  // of the rows may be computed again
  b.last = place;
  b.rows = 1;
  keep_of(b, most);
  const StripRows rows = strip_rows(b, 0);
  return std::ranges::all_of(rows, [&](const auto& r) {
    const int64_t twice = r.second.size() - height(r.first);
    const bool begun = !makes(b, r.first);  // it is not computed here
    return begun || twice * kPart <= (again ? height(r.first) : 0);
  });
}

std::vector<Banding> Lowering::find_strips(int64_t most, bool again) {
  if (source_.style == Style::vendor) return {};
  find_readers();
  std::vector<size_t> places;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    if (has_steps(k)) places.push_back(k);
  }
  std::vector<Banding> all;
  for (size_t n = 0; n < places.size(); ++n) {
    if (!touches_large(places[n], most)) continue;
    if (!can_strip(places[n])) return {};
    Banding b{.first = places[n], .last = places[n], .strips = true};
    while (n + 1 < places.size() && strip_goes_on(b, places[n + 1], most, again)) {
      b.last = places[++n];
    }
    if (!keep_of(b, most)) return {};
    all.push_back(std::move(b));
  }
  for (Banding& b : all) {
    for (const Banding& other : all) {
      for (const ValueId id : other.parked) b.in_wide.insert(id);
    }
    find_strip_cuts(b);
    if (b.cuts.empty()) return {};
  }
  return all;
}

// Bytes that are needed at one time, at least: what is whole, and rows from where they are made to
// where they are read.
int64_t Lowering::strip_bytes(const Banding& b) const {
  const StripRows rows = strip_rows(b, 0);
  std::map<ValueId, std::pair<size_t, size_t>> life;
  int64_t whole = 0;
  for (size_t k = b.first; k <= b.last; ++k) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made)) continue;
    for (const StripReading& r : strip_readings(index)) {
      life.emplace(root(r.from), std::pair{k, k}).first->second.second = k;
    }
    life.emplace(made, std::pair{k, k});
  }
  std::vector<int64_t> bytes(b.last - b.first + 1, 0);
  for (const auto& [id, from_to] : life) {
    const Map& map = stores_.at(id).map;
    const bool kept = std::ranges::find(b.kept, id) != b.kept.end();
    if ((kept || !makes(b, id)) && !b.in_wide.contains(id)) {
      whole += map.bytes();
      continue;
    }
    if (!rows.contains(id)) continue;
    for (size_t k = from_to.first; k <= from_to.second; ++k) {
      bytes[k - b.first] += rows.at(id).size() * map.row(0);
    }
  }
  return whole + std::ranges::max(bytes);
}

// Whether windows reach no further than the rows that a tile has of the strip.
bool Lowering::reaches_neighbours(const Banding& b) const {
  const StripRows rows = strip_rows(b, 0);
  for (size_t k = b.first; k <= b.last; ++k) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made) || !rows.contains(made)) continue;
    for (const StripReading& r : strip_readings(index)) {
      const Window& w = r.windows.y;
      const int64_t own = w.stride * rows.at(made).size();
      if (own < w.front || own < w.reach() - w.stride - w.front) return false;
    }
  }
  return true;
}

// As many strips as divide the rows of all tensors, those that may fit.
void Lowering::find_strip_cuts(Banding& b) const {
  int64_t all = 0;
  b.rows = 1;
  for (const auto& [id, rows] : strip_rows(b, 0)) all = std::gcd(all, height(id));
  for (int64_t n = 1; n <= all; ++n) {
    if (all % n != 0) continue;
    b.rows = n;
    if (strip_bytes(b) <= kNarrowBytes && reaches_neighbours(b)) b.cuts.push_back({n, 1});
  }
}

// Rows of each tensor that strip `n` takes or makes.
Lowering::StripRows Lowering::strip_rows(const Banding& b, int64_t n) const {
  StripRows rows;
  const auto add = [&](ValueId id, const Span& s) {
    const auto [at, fresh] = rows.emplace(id, s);
    if (fresh) return;
    at->second = {std::min(at->second.begin, s.begin), std::max(at->second.end, s.end)};
  };
  for (const ValueId id : b.kept) {
    const int64_t each = height(id) / b.rows;
    add(id, {n * each, (n + 1) * each});
  }
  for (size_t k = b.last + 1; k-- > b.first;) {
    const size_t index = segment_.ops[k];
    const ValueId made = graph().ops[index].outputs[0];
    if (alias_.contains(made) || !rows.contains(made)) continue;
    for (const StripReading& r : strip_readings(index)) {
      Span& to = rows.at(made);
      to = rounded_out(to, r.times);
      add(root(r.from), read_by(r, to));
    }
  }
  return rows;
}

}  // namespace edgetwin::edgetpu::compiler
