// Operators that repeat positions of a picture.
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

bool Lowering::few_enough(const Map& in, const Map& out) {
  const int64_t words = most_words(in, out);
  if (words <= kMostWords) return true;
  return refuse(Rule::shape, "a tile would move " + std::to_string(words) + " words at a time, " +
                                 std::to_string(kMostWords) + " can be counted");
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
      kConstantLine);
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
      kConstantLine);
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
