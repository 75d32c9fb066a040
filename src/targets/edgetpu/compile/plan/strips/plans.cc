// Which operators are computed in strips: runs whose tensors do not fit narrow memory, with
// branches that meet. Each tile takes some of its own rows at a time, so that nothing but borders
// goes from tile to tile. What others need of a run is whole in narrow memory or parked in wide
// memory.
#include <algorithm>

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

// All tiles have rows of as many bytes.
bool has_even_rows(const Map& m) {
  const auto same = [](const auto& border) {
    return std::ranges::all_of(border, [&](int64_t n) { return n == border[0]; });
  };
  return m.x.size % kGrid == 0 && same(m.x.front) && same(m.x.back);
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

// One of which all tiles have as many rows, but where they need not.
bool Lowering::is_picture(ValueId id) const {
  const auto s = stores_.find(root(id));
  if (!is_map(value(id)) || s == stores_.end() || s->second.vector) return false;
  const Map& m = s->second.map;
  return has_even_rows(m) && (uneven_ == 0 ? m.y.size % kGrid : m.y.size % uneven_) == 0;
}

bool Lowering::can_strip(size_t place) const {
  const size_t index = segment_.ops[place];
  const Op& op = graph().ops[index];
  if (!is_picture(op.outputs[0]) || pieces_.contains(index)) return false;
  if (op.kind == OpKind::resize_nearest_neighbor && !is_picture(op.inputs[0])) return false;
  const std::vector<StripReading> readings = strip_readings(index);
  const Map& out = stores_.at(root(op.outputs[0])).map;
  return !readings.empty() && std::ranges::all_of(readings, [&](const StripReading& r) {
    if (!is_picture(r.from)) return false;
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
  return !has(segment_.inputs, root(id)) || (by_host_ && can_come(id));
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
  b.kept.clear(), b.parked.clear(), b.left.clear();
  for (size_t k = b.first; k <= b.last; ++k) {
    const ValueId id = graph().ops[segment_.ops[k]].outputs[0];
    if (alias_.contains(id) || !needed_outside(b, id)) continue;
    b.kept.push_back(id);
    const bool given =
        std::ranges::any_of(segment_.outputs, [&](ValueId out) { return root(out) == id; });
    if (!is_large(id, most)) continue;
    if (given && by_host_ && has(segment_.outputs, id)) {
      b.left.push_back(id);
      if (readers_.at(id).end <= static_cast<int64_t>(b.last)) continue;
    } else if (given) {
      continue;
    }
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
  const int64_t part = uneven_ == 0 ? 8 : 2;  // of the rows may be computed again
  b.last = place;
  b.rows = 1;
  keep_of(b, most);
  const StripRows rows = strip_rows(b, 0);
  return std::ranges::all_of(rows, [&](const auto& r) {
    const int64_t twice = r.second.size() - height(r.first);
    const bool begun = !makes(b, r.first);  // it is not computed here
    return begun || twice * part <= (again ? height(r.first) : 0);
  });
}

std::vector<Banding> Lowering::find_strips(int64_t most, bool again, bool by_host) {
  if (source_.style == Style::vendor) return {};
  by_host_ = by_host;
  uneven_ = 0;
  find_readers();
  if (most == 0) return uneven_strips();
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
      for (const ValueId id : other.left) b.in_wide.insert(id);
    }
    find_coming(b, most);
    b.in_wide.insert(b.come.begin(), b.come.end());
    find_strip_cuts(b);
    if (b.cuts.empty()) return {};
  }
  return all;
}

}  // namespace edgetwin::edgetpu::compiler
