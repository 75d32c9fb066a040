// Operators that repeat positions of a picture, whose results lie between each other, or at places
// of the input that no tile has by itself: PACK, SPACE_TO_DEPTH, DEPTH_TO_SPACE,
// RESIZE_NEAREST_NEIGHBOR to any size.
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Where the output's places come from: `first` and every `step`-th after it, in order.
std::vector<int64_t> sources(int64_t size, int64_t first, int64_t step) {
  std::vector<int64_t> all(static_cast<size_t>(size), -1);
  for (int64_t k = first; k < size; k += step) all[static_cast<size_t>(k)] = (k - first) / step;
  return all;
}

}  // namespace

// Positions of `from` to every so many of `to`, which has its place.
bool Lowering::interleaved(Store& from, Store& to, const Between& y, const Between& x) {
  const auto stays = [](int64_t in, int64_t out, const Between& b) {
    return in * b.step == out && repeats(in, out) == b.step;
  };
  if (!few_enough(to.map, to.map)) return false;
  const bool here =
      stays(from.map.y.size, to.map.y.size, y) && stays(from.map.x.size, to.map.x.size, x);
  if (!here) {
    return picked(
        from, to,
        {sources(to.map.y.size, y.first, y.step), sources(to.map.x.size, x.first, x.step)});
  }
  use(from.region), use(to.region);
  emit(
      [this, &from, &to, y, x, constants = scratch()](Program& p) {
        interleave(p, {&from.map, &to.map, y.first, x.first, y.step, x.step, at(constants)});
      },
      kConstantLine, Follows::tile);
  return true;
}

// By way of all tiles. `to` has its place.
bool Lowering::picked(Store& from, Store& to, const NearestPlaces& places) {
  if (!few_enough(to.map, to.map)) return false;
  const int whole = whole_vector(from);
  use(whole), use(to.region);
  const int64_t pixel = from.map.pixel();
  emit(
      [this, whole, pixel, row = from.map.x.size * pixel, &to, places,
       constants = scratch()](Program& p) {
        pick(p, {{at(whole), pixel, row}, &to.map, places.rows, places.columns, at(constants)});
      },
      kConstantLine, Follows::tile);
  return true;
}

bool Lowering::packed(size_t index) {
  const Op& op = graph().ops[index];
  const auto turns = packed_places(graph(), op);
  Store& to = store(op.outputs[0]);
  if (!turns || to.vector) return not_a_picture();
  to.region = region(to.map.bytes());
  planned_.push_back({index, "positions in turns", to.map.bytes(), 0});
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    Store& from = store(op.inputs[k]);
    if (from.vector) return not_a_picture("one of its parts");
    const auto first = static_cast<int64_t>(k);
    if (!interleaved(from, to, {turns->y > 1 ? first : 0, turns->y},
                     {turns->x > 1 ? first : 0, turns->x})) {
      return false;
    }
  }
  border(to);
  return true;
}

bool Lowering::space_to_depth(size_t index) {
  const Op& op = graph().ops[index];
  const int64_t n = op.as<BlockAttrs>().block_size;
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (from.vector || to.vector) return not_a_picture();
  place_result(to);
  planned_.push_back({index, "blocks to channels", to.map.bytes(), 0});
  std::vector<Store*> parts;
  for (int64_t k = 0; k < n * n; ++k) {
    Store& part = between(map_of(to.map.y.size, to.map.x.size, from.map.channels), from.zero);
    RelocateSpec how;
    how.from_y = k / n, how.from_x = k % n;
    how.step_y = how.step_x = n;
    relocate_to(from, part, how);
    parts.push_back(&part);
  }
  if (!side_by_side(index, parts, to)) return false;
  border(to);
  return true;
}

// Channels of several pictures with the result's numbers one after the other.
bool Lowering::side_by_side(size_t index, const std::vector<Store*>& parts, Store& to) {
  const Value& out = value(graph().ops[index].outputs[0]);
  const int64_t channels = parts[0]->map.channels;
  const bool by_words = channels % 4 == 0;
  const int64_t apart = parts[0]->map.pixel();
  Store* side = &to;
  if (!by_words) {
    side = &between(
        map_of(to.map.y.size, to.map.x.size, apart * static_cast<int64_t>(parts.size())), to.zero);
  }
  std::vector<int> of;
  for (size_t k = 0; k < parts.size(); ++k) {
    const int64_t offset = static_cast<int64_t>(k) * apart;
    use(parts[k]->region), use(side->region);
    copy_channels(*parts[k], *side, 0, offset, same_of(*parts[k], out));
    for (int64_t c = 0; c < channels; ++c) of.push_back(static_cast<int>(offset + c));
  }
  return by_words || select(index, *side, to, of, out);
}

bool Lowering::depth_to_space(size_t index) {
  const Op& op = graph().ops[index];
  const int64_t n = op.as<BlockAttrs>().block_size;
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (from.vector || to.vector) return not_a_picture();
  place_result(to);
  planned_.push_back({index, "channels to blocks", to.map.bytes(), 0});
  const int64_t channels = to.map.channels;
  for (int64_t k = 0; k < n * n; ++k) {
    Store& part = between(map_of(from.map.y.size, from.map.x.size, channels), from.zero);
    use(from.region), use(part.region);
    if (channels % 4 == 0) {
      copy_channels(from, part, k * channels, 0, same_of(from, value(op.outputs[0])));
    } else {
      std::vector<int> of;
      for (int64_t c = 0; c < channels; ++c) of.push_back(static_cast<int>(k * channels + c));
      if (!select(index, from, part, of, value(op.outputs[0]))) return false;
    }
    if (!interleaved(part, to, {k / n, n}, {k % n, n})) return false;
  }
  border(to);
  return true;
}

// ---- positions that are repeated

// `in_turns`: some words of all pixels at a time.
bool Lowering::few_enough(const Map& in, const Map& out, bool in_turns) {
  const int64_t words = in_turns ? in.y.own(0) * in.x.own(0) : most_words(in, out);
  if (words <= kMostWords) return true;
  refuse(Rule::shape, "a tile would move " + std::to_string(words) + " words at a time, " +
                          std::to_string(kMostWords) + " can be counted");
  refusal_->too_large = true;
  return false;
}

bool Lowering::spread_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (!from.vector || to.vector || from.bytes != to.map.channels) {
    return refuse(Rule::shape, "its input is not a vector of " + std::to_string(to.map.channels));
  }
  const int whole = whole_vector(from);
  return from_whole(index, whole, to, 0, 0, "repetition of one position");
}

bool Lowering::mixed(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  const auto stretches = stretches_of(graph(), op);
  if (from.vector || to.vector || !stretches) {
    return not_a_picture();
  }
  if (from.two_edges) {
    return refuse(Rule::attributes,
                  "its border is the nearest position; another operator that reads the same tensor "
                  "over the edge needs a number there");
  }
  if (!few_enough(from.map, from.map)) return false;
  use(from.region);
  to.region = region(to.map.bytes());
  keep_matrix();
  planned_.push_back({index, "larger size", to.map.bytes(), 0});
  emit(
      [this, &from, &to, s = *stretches, constants = scratch()](Program& p) {
        compiler::resize(p, {&from.map, &to.map, s.y, s.x, at(constants)});
      },
      kConstantLine, Follows::tile);
  steps_.back().anew = true;
  border(to);
  return true;
}

bool Lowering::resize(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (is_vector(value(op.inputs[0]))) return spread_layer(index);
  if (mixes_positions(graph(), op)) return mixed(index);
  if (from.vector || to.vector) return not_a_picture();
  if (const auto cut = picked_positions(graph(), op)) {
    return take_part(index, from, op.outputs[0], *cut);
  }
  if (repeats(from.map.y.size, to.map.y.size) == 0 ||
      repeats(from.map.x.size, to.map.x.size) == 0 || op.as<ResizeAttrs>().align_corners) {
    to.region = region(to.map.bytes());
    planned_.push_back({index, "nearest positions", to.map.bytes(), 0});
    if (!picked(from, to, nearest_places(graph(), op))) return false;
    border(to);
    return true;
  }
  if (!few_enough(from.map, to.map)) return false;
  use(from.region);
  place_map(to);
  RepeatSpec spec;
  spec.y = repeats(from.map.y.size, to.map.y.size);
  spec.x = repeats(from.map.x.size, to.map.x.size);
  spec.numbers.multiplier = 1.0F;
  spec.numbers.input_zero = from.zero;
  put_limits(spec.numbers, value(op.outputs[0]), Activation::none);
  planned_.push_back({index, "repetition", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, constants = scratch()](Program& p) {
        RepeatSpec s = spec;
        s.in = &from.map, s.out = &to.map, s.scratch = at(constants);
        repeat(p, s);
      },
      kConstantLine, Follows::tile);
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
