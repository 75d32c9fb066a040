// Chains of operators that are computed band by band: which operators can be in one, and from where
// to where it goes.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {

// The cut banding that an operator is in.
const Banding* Lowering::banding_at(size_t place) const {
  for (const Banding& b : bandings_) {
    if (b.cut() && place >= b.first && place <= b.last) return &b;
  }
  return nullptr;
}

bool Lowering::in_rectangles(size_t place) const {
  const Banding* b = banding_at(place);
  return b != nullptr && !b->strips && !b->is_aside(place);
}

namespace {

// Rows and columns of the result are those of the input, and other operands are numbers or pictures
// of the same size.
bool by_elements(const Graph& g, const Op& op) {
  if (is_unary(op)) return true;
  switch (op.kind) {
    case OpKind::add:
    case OpKind::sub:
      if (takes_constant(g, op, 0) || takes_constant(g, op, 1)) return false;
      return is_number(g.value(op.inputs[1])) ||
             g.value(op.inputs[0]).shape == g.value(op.inputs[1]).shape;
    default:
      return false;
  }
}

bool has_weights(const Op& op) {
  return op.kind == OpKind::conv_2d || op.kind == OpKind::depthwise_conv_2d;
}

bool is_window_pool(const Graph& g, const Op& op) {
  if (op.kind == OpKind::average_pool_2d) return true;
  return op.kind == OpKind::max_pool_2d &&
         same_numbers(g.value(op.inputs[0]), g.value(op.outputs[0])) &&
         op.as<PoolAttrs>().activation == Activation::none &&
         op.as<PoolAttrs>().filter_h * op.as<PoolAttrs>().filter_w > 1;
}

}  // namespace

// A convolution, pool or function between two pictures.
bool Lowering::can_band(size_t place) const {
  const Op& op = graph().ops[segment_.ops[place]];
  const bool weights = has_weights(op);
  if (!weights && !by_elements(graph(), op) && !is_window_pool(graph(), op)) return false;
  if (!is_map(value(op.outputs[0])) || pieces_.contains(segment_.ops[place])) return false;
  const auto picture = [&](ValueId id) {
    const auto found = stores_.find(root(id));
    return is_map(value(id)) && found != stores_.end() && !found->second.vector;
  };
  if (weights) {
    const ReferenceLayer& layer = source_.layers.at(segment_.ops[place]);
    return is_map(value(op.inputs[0])) &&
           picture(reading_of(op, layer.shape.kernel_h, layer.shape.kernel_w).from);
  }
  return std::ranges::all_of(op.inputs,
                             [&](ValueId id) { return value(id).is_constant() || picture(id); });
}

// The operand that the chain goes through: what the operator before it makes, else the first one.
Layer Lowering::link(size_t index, ValueId before) const {
  const Op& op = graph().ops[index];
  Layer l;
  l.op = index;
  if (has_weights(op)) {
    l.reference = &source_.layers.at(index);
    l.reading = reading_of(op, l.reference->shape.kernel_h, l.reference->shape.kernel_w);
    return l;
  }
  const bool two = op.inputs.size() > 1 && !value(op.inputs[1]).is_constant();
  const bool second = two && before != kAbsent && root(op.inputs[1]) == before;
  l.reading.from = op.inputs[second ? 1 : 0];
  if (two) l.other = op.inputs[second ? 0 : 1];
  const Shape& out = value(op.outputs[0]).shape;
  l.reading.windows = {{out[1], 1, 1, 0, 1}, {out[2], 1, 1, 0, 1}};
  if (const auto view = is_window_pool(graph(), op) ? view_of_pool(op) : std::nullopt) {
    l.reading.windows = view->windows;
  }
  return l;
}

// Nothing but the next operators of the chain needs the result.
bool Lowering::inner(size_t place) const {
  const ValueId result = root(graph().ops[segment_.ops[place]].outputs[0]);
  for (const ValueId id : segment_.outputs) {
    if (root(id) == result) return false;
  }
  return readers_of(result) == 1;
}

size_t Lowering::readers_of(ValueId result) const {
  size_t readers = 0;
  for (const size_t k : segment_.ops) {
    const Op& op = graph().ops[k];
    const bool same = alias_.contains(op.outputs[0]);
    for (const ValueId id : op.inputs) {
      readers += id != kAbsent && !same && root(id) == result ? 1 : 0;
    }
  }
  return readers;
}

// Nothing outside of them reads results but the last one.
bool Lowering::closed(const Banding& b) const {
  const size_t first = b.first, last = b.last;
  std::set<ValueId> made;
  for (size_t k = first; k < last; ++k) {
    if (!b.is_aside(k)) made.insert(root(graph().ops[segment_.ops[k]].outputs[0]));
  }
  made.erase(root(graph().ops[segment_.ops[last]].outputs[0]));
  const auto read = [&](ValueId id) { return id != kAbsent && made.contains(root(id)); };
  if (std::ranges::any_of(segment_.outputs, read)) return false;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    const Op& op = graph().ops[segment_.ops[k]];
    if (k >= first && k <= last) continue;
    if (std::ranges::any_of(op.inputs, read)) return false;
  }
  return true;
}

std::vector<Layer> Lowering::layers_of(const Banding& banding) const {
  std::vector<Layer> layers;
  for (size_t k = banding.first; k <= banding.last; ++k) {
    const size_t index = segment_.ops[k];
    const Op& op = graph().ops[index];
    if (alias_.contains(op.outputs[0]) || banding.is_aside(k)) continue;
    const ValueId before =
        layers.empty() ? kAbsent : root(graph().ops[layers.back().op].outputs[0]);
    layers.push_back(link(index, before));
  }
  return layers;
}

// An operator between two layers of bands that takes all of what the first one makes, of which the
// second one takes each position once.
bool Lowering::goes_aside(size_t place, size_t before, size_t next) const {
  const Op& op = graph().ops[segment_.ops[place]];
  const ValueId result = root(graph().ops[segment_.ops[before]].outputs[0]);
  const auto& taken = link(segment_.ops[next], result).reading.windows;
  const bool once =
      taken.y.reach() == 1 && taken.y.stride == 1 && taken.x.reach() == 1 && taken.x.stride == 1;
  return once && !can_band(place) && root(op.inputs[0]) == result &&
         std::ranges::none_of(segment_.outputs,
                              [&](ValueId id) { return root(id) == root(op.outputs[0]); });
}

bool Lowering::has_steps(size_t place) const {
  const size_t index = segment_.ops[place];
  return !alias_.contains(graph().ops[index].outputs[0]) && !lists_.ops.contains(index);
}

// From a layer that does not fit back to where its tensors are smallest, and on while they shrink
// or do not fit. Source: specification "bands" 1, of layers in a chain.
std::vector<Banding> Lowering::find_bandings(bool inside) {
  const std::vector<int64_t> living = live_bytes();
  std::set<size_t> bad;
  for (size_t k = 0; k < steps_.size(); ++k) {
    if (living[k] > kNarrowBytes) bad.insert(step_ops_[k]);
  }
  // Operators with instructions, in order.
  std::vector<size_t> places;
  for (size_t k = 0; k < segment_.ops.size(); ++k) {
    if (has_steps(k)) places.push_back(k);
  }
  // The vendor's compiler compares them without borders.
  const auto bytes_of = [&](const Map& m) {
    return inside ? m.y.own(0) * m.x.own(0) * m.pixel() : m.bytes();
  };
  const auto result_of = [&](size_t n) {
    return bytes_of(stores_.at(root(graph().ops[segment_.ops[places[n]]].outputs[0])).map);
  };
  const auto input_of = [&](size_t n) {
    const Op& op = graph().ops[segment_.ops[places[n]]];
    const auto found = stores_.find(root(op.inputs[0]));
    return found != stores_.end() ? bytes_of(found->second.map) : 0;
  };
  // `n` reads what `from` makes, and nothing else does.
  const auto after = [&](size_t n, size_t from) {
    const ValueId before = root(graph().ops[segment_.ops[places[from]]].outputs[0]);
    const Op& op = graph().ops[segment_.ops[places[n]]];
    return (inside || inner(places[from])) &&
           root(link(segment_.ops[places[n]], before).reading.from) == before &&
           (has_weights(op) || std::ranges::count_if(op.inputs, [&](ValueId id) {
                                 return id != kAbsent && root(id) == before;
                               }) == 1);
  };
  const auto follows = [&](size_t n) { return after(n, n - 1); };
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
    Banding found{places[first], places[last], 1, 1};
    while (inside && last > first && !closed(found)) found.last = places[--last];
    // Past one that takes all of the result, where the tensor after it is smaller.
    const size_t next = last + 2;
    if (inside && next < places.size() && can_band(places[next]) && after(next, last) &&
        result_of(next) < result_of(last) &&
        goes_aside(places[last + 1], places[last], places[next])) {
      found.asides = {places[last + 1]};
      found.last = places[next];
      last = closed(found) ? next : last;
      if (last != next) found = {places[first], places[last], 1, 1};
    }
    all.push_back(std::move(found));
    free = last + 1;
  }
  return all;
}

}  // namespace edgetwin::edgetpu::compiler
