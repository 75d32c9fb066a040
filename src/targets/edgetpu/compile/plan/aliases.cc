#include <algorithm>
#include <numeric>

#include "targets/edgetpu/compile/layout/branches.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

namespace {

bool is_list(const Shape& s) { return s.rank() == 3 && s[0] == 1 && s[1] > 1; }

// A number that is real 0, added to what keeps its scale: the vendor's compiler has no instruction
// for it. Source: MoveNet.
bool adds_nothing(const Graph& g, const Op& op) {
  if (op.kind != OpKind::add && op.kind != OpKind::sub) return false;
  const Value &in = g.value(op.inputs[0]), &number = g.value(op.inputs[1]);
  const Value& out = g.value(op.outputs[0]);
  if (!is_number(number) || in.is_constant() || in.shape != out.shape) return false;
  const int flip = number.dtype == DType::int8 ? 0x80 : 0;
  return (std::to_integer<int>((*number.constant)[0]) ^ flip) == unsigned_zero(number) &&
         same_numbers(in, out) && op.as<BinaryAttrs>().activation == Activation::none;
}

}  // namespace

ValueId Lowering::root(ValueId id) const {
  for (auto found = alias_.find(id); found != alias_.end(); found = alias_.find(id)) {
    id = found->second;
  }
  return id;
}

// Some operator takes `id` position by position; those that change no byte are looked through.
bool Lowering::by_positions(ValueId id) const {
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    if (std::ranges::find(op.inputs, id) == op.inputs.end()) continue;
    if (changes_nothing(graph(), op)) {
      if (by_positions(op.outputs[0])) return true;
      continue;
    }
    if (op.kind == OpKind::unidirectional_sequence_lstm) continue;
    const bool vector = op.kind == OpKind::softmax || op.kind == OpKind::fully_connected;
    if (!vector || picture_of(value(op.outputs[0]))) return true;
  }
  return false;
}

// The positions that the host gives: what reads them decides where only rows are told.
std::optional<Picture> Lowering::given_positions(ValueId id) const {
  const Value& v = value(id);
  if (!by_positions(id)) return std::nullopt;
  if (is_map(v)) return picture_of(v);
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    if (op.inputs[0] != id || !changes_nothing(graph(), op)) continue;
    const Value& to = value(op.outputs[0]);
    if (is_map(to) && by_positions(op.outputs[0])) return picture_of(to);
  }
  return picture_of(v);
}

// In the vendor's style a list lies in one row, in the tiles of the first one.
std::optional<Picture> Lowering::positions_of(const Value& v) const {
  const Shape& s = v.shape;
  if (source_.style == Style::vendor && is_list(s)) return Picture{1, s[1], s[2]};
  return picture_of(v);
}

// Its positions leave in the tiles of that row.
bool Lowering::leaves_as_list(ValueId id) const {
  return source_.style == Style::vendor && is_list(value(id).shape) && has(segment_.outputs, id);
}

void Lowering::make_store(ValueId id, const std::optional<Picture>& picture) {
  const Value& v = value(id);
  Store s;
  s.zero = unsigned_zero(v);
  s.vector = !picture;
  s.bytes = v.shape.elements() * static_cast<int64_t>(byte_size(v.dtype));
  if (picture) {
    s.map.y = Axis(picture->rows);
    s.map.x = Axis(picture->columns);
    s.map.channels = picture->channels;
  } else {
    s.map = Map::vector(s.bytes);
  }
  stores_.emplace(id, s);
}

// The positions of a vector that an operator makes element by element of what was a picture before
// a RESHAPE: they stay where they are.
std::optional<Picture> Lowering::reshaped_elements(const Op& op) const {
  const bool binary = op.kind == OpKind::add || op.kind == OpKind::sub || op.kind == OpKind::mul ||
                      op.kind == OpKind::maximum || op.kind == OpKind::minimum;
  if (!binary && !is_unary(op)) return std::nullopt;
  for (const ValueId id : op.inputs) {
    if (value(id).is_constant()) continue;
    const Store& s = stores_.at(root(id));
    const Picture p{s.map.y.size, s.map.x.size, s.map.channels};
    if (!s.vector && p.rows * p.columns * p.channels == value(op.outputs[0]).shape.elements()) {
      return p;
    }
  }
  return std::nullopt;
}

void Lowering::name_stores() {
  for (const ValueId id : segment_.inputs) make_store(id, given_positions(id));
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    const bool nothing =
        source_.style == Style::vendor && bandings_.empty() && adds_nothing(graph(), op);
    const bool same = changes_nothing(graph(), op) || nothing;
    if (!same && !space_pad(graph(), op)) {
      // Every tile has all steps of a recurrent layer, which stay there where nothing wants
      // positions.
      const bool whole = op.kind == OpKind::unidirectional_sequence_lstm;
      const auto mixed = mixed_channels(graph(), op);
      for (const ValueId id : op.outputs) {
        auto picture = mixed               ? std::optional(mixed->picture)
                       : in_first_tile(op) ? std::optional(Picture{1, 1, value(id).shape[3]})
                       : whole && !by_positions(id) ? std::nullopt
                                                    : positions_of(value(id));
        if (!picture) picture = reshaped_elements(op);
        make_store(id, picture);
      }
      continue;
    }
    // A RESHAPE whose positions are not those of its input, and are taken as such, moves them.
    const ValueId result = op.outputs[0];
    const auto picture = positions_of(value(result));
    const Store& from = store(op.inputs[0]);
    const bool here = !from.vector && picture &&
                      *picture == Picture{from.map.y.size, from.map.x.size, from.map.channels};
    const bool mixed = std::ranges::any_of(segment_.ops, [&](size_t n) {
      const Op& next = graph().ops[n];
      return next.inputs[0] == result && mixed_channels(graph(), next);
    });
    if (only_reshapes(op) && picture && !here && !mixed &&
        (by_positions(result) || leaves_as_list(result))) {
      make_store(result, picture);
    } else {
      alias_[result] = op.inputs[0];
    }
  }
  if (source_.style != Style::vendor) return;
  for (const JoinedPart& j : joined_parts(graph(), segment_.ops)) {
    const auto made = std::ranges::find_if(
        segment_.ops, [&](size_t k) { return graph().ops[k].outputs[0] == j.part; });
    Store& part = stores_.at(j.part);
    if (j.repeated) continue;  // repeated() says where it is
    if (part.vector || in_rectangles(static_cast<size_t>(made - segment_.ops.begin()))) continue;
    part.whole_of = j.whole, part.first_channel = j.first_channel;
  }
}

namespace {

bool is_pool(const Op& op) {
  return op.kind == OpKind::average_pool_2d || op.kind == OpKind::max_pool_2d;
}

}  // namespace

Reading Lowering::reading_of(const Op& op, int kernel_h, int kernel_w) const {
  const Value& out = value(op.outputs[0]);
  Reading r;
  r.from = op.inputs[0];
  if (is_pool(op)) {
    const auto& a = op.as<PoolAttrs>();
    r.windows = windows_of(value(r.from), out, a.padding, a.filter_h, a.filter_w, a.stride_h,
                           a.stride_w, 1, 1);
  } else {
    const auto& a = op.as<Conv2DAttrs>();
    r.windows = windows_of(value(r.from), out, a.padding, kernel_h, kernel_w, a.stride_h,
                           a.stride_w, a.dilation_h, a.dilation_w);
  }
  for (const size_t k : segment_.ops) {
    const Op& before = graph().ops[k];
    if (before.outputs[0] != r.from) continue;
    const auto pad = space_pad(graph(), before);
    if (!pad) continue;
    r.windows.y.front += pad->top;
    r.windows.x.front += pad->left;
    r.from = before.inputs[0];
    break;
  }
  return r;
}

// The picture that a pool goes over, PAD before it looked through.
std::optional<PoolView> Lowering::view_of_pool(const Op& op) const {
  auto view = pool_view(graph(), op);
  if (!view || !is_pool(op)) return view;
  const Reading r = reading_of(op, 1, 1);
  if (r.from == op.inputs[0]) return view;
  const Shape& in = value(r.from).shape;
  view->in.rows = in[1], view->in.columns = in[2];
  view->windows.y.front = r.windows.y.front, view->windows.x.front = r.windows.x.front;
  return view;
}

bool Lowering::neighbours(const Store& in, const Windows& w) const {
  Axis y(in.map.y.size), x(in.map.x.size);
  y.widen(w.y);
  x.widen(w.x);
  return y.by_neighbours() && x.by_neighbours();
}

// The same, or in the vendor's style neighbours hand on what they have from others.
bool Lowering::handed(const Store& in, const Windows& w) const {
  if (neighbours(in, w)) return true;
  Axis y(in.map.y.size), x(in.map.x.size);
  y.widen(w.y);
  x.widen(w.x);
  return source_.style == Style::vendor && y.can_hand_on() && x.can_hand_on();
}

namespace {

bool is_window(const Op& op) {
  return op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d || is_pool(op);
}

}  // namespace

// As wide as the windows of one reader want it.
void Lowering::border_store(const Op& op, ValueId from, const Windows& w) {
  Store& in = store(from);
  if (in.vector || !is_map(value(from))) return;
  if (is_pool(op) || op.kind == OpKind::transpose_conv ? !neighbours(in, w) : !handed(in, w))
    return;
  if (!inside(w, value(from))) {
    // A pool copies the tensor where others want another border than the byte 0.
    if (op.kind == OpKind::max_pool_2d) {
      in.pool_edge = in.pool_edge || in.edge < 0;
      if (in.edge < 0) in.edge = 0;
    } else {
      in.two_edges = in.two_edges || (in.edge >= 0 && in.edge != in.zero && !in.pool_edge);
      in.pool_edge = false;
      in.edge = in.zero;
    }
  }
  in.map.y.widen(w.y);
  in.map.x.widen(w.x);
}

void Lowering::border_stores() {
  for (size_t place = 0; place < segment_.ops.size(); ++place) {
    const Op& op = graph().ops[segment_.ops[place]];
    if (in_rectangles(place)) continue;  // they have borders of their own
    if (mixes_positions(graph(), op)) {
      Store& in = store(op.inputs[0]);
      if (in.vector) continue;
      in.two_edges = in.two_edges || (in.edge >= 0 && in.edge != Store::kNearest && !in.pool_edge);
      in.pool_edge = false;
      in.edge = Store::kNearest;
      const auto s = stretches_of(graph(), op);
      if (!s) continue;
      in.map.y.widen(s->y);
      in.map.x.widen(s->x);
      continue;
    }
    if (op.kind == OpKind::transpose_conv) {
      const TransposedPhases phases = transposed_phases(graph(), op);
      for (const TransposedPhase& y : phases.y) {
        for (const TransposedPhase& x : phases.x) {
          border_store(op, data_of(op), {y.window, x.window});
        }
      }
      continue;
    }
    if (!is_window(op) || !is_map(value(op.outputs[0]))) continue;
    const bool filtered = !is_pool(op);
    const Shape filter = filtered ? value(op.inputs[1]).shape : Shape({1, 1, 1, 1});
    const Reading reading =
        reading_of(op, static_cast<int>(filter[1]), static_cast<int>(filter[2]));
    border_store(op, reading.from, reading.windows);
  }
  border_strips();
  for (const size_t k : segment_.ops) {
    if (in_first_tile(graph().ops[k])) widen_for_first_tile(k);
  }
  for (auto& [id, s] : stores_) {
    for (Axis* axis : {&s.map.y, &s.map.x}) {
      const bool vendor = source_.style == Style::vendor && !s.brought;
      if (vendor && !axis->by_neighbours()) axis->hand_on();
    }
  }
  // Operands of an addition have the same pitches.
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t place = 0; place < segment_.ops.size(); ++place) {
      const Op& op = graph().ops[segment_.ops[place]];
      if (in_rectangles(place)) continue;
      if (op.kind != OpKind::add && op.kind != OpKind::sub && op.kind != OpKind::maximum &&
          op.kind != OpKind::minimum) {
        continue;
      }
      if (value(op.inputs[0]).is_constant() || value(op.inputs[1]).is_constant()) continue;
      Store& a = store(op.inputs[0]);
      Store& b = store(op.inputs[1]);
      if (a.vector || b.vector || a.map.y.size != b.map.y.size || a.map.x.size != b.map.x.size) {
        continue;
      }
      if (same_borders(a.map, b.map) || copied_for_sum(op, a, b)) continue;
      changed = true;
      a.map.y.widen(b.map.y), b.map.y.widen(a.map.y);
      a.map.x.widen(b.map.x), b.map.x.widen(a.map.x);
    }
  }
}

Segment segment_of(const Graph& g, size_t begin, size_t end) {
  std::vector<size_t> ops(end - begin);
  std::iota(ops.begin(), ops.end(), begin);
  return segment_of(g, ops);
}

Segment segment_of(const Graph& g, std::span<const size_t> ops) {
  Segment s;
  s.ops.assign(ops.begin(), ops.end());
  std::set<ValueId> made, taken, inputs;
  for (const size_t k : ops) {
    for (const ValueId id : g.ops[k].inputs) {
      const bool comes = id != kAbsent && !g.value(id).is_constant() && !made.contains(id);
      if (comes && inputs.insert(id).second) s.inputs.push_back(id);
    }
    for (const ValueId id : g.ops[k].outputs) made.insert(id);
  }
  const std::set<size_t> inside(ops.begin(), ops.end());
  for (size_t k = 0; k < g.ops.size(); ++k) {
    if (inside.contains(k)) continue;
    taken.insert(g.ops[k].inputs.begin(), g.ops[k].inputs.end());
  }
  taken.insert(g.outputs.begin(), g.outputs.end());
  for (const size_t k : ops) {
    for (const ValueId id : g.ops[k].outputs) {
      if (taken.contains(id)) s.outputs.push_back(id);
    }
  }
  return s;
}

}  // namespace edgetwin::edgetpu::compiler
