// Operators that only move bytes of a picture within their tile.
#include <array>
#include <cstring>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

std::optional<Refusal> stays(Rule rule, size_t op, std::string message) {
  return Refusal{rule, op, std::move(message)};
}

// A constant of four int32, one for each axis of a picture.
std::optional<std::array<int32_t, 4>> four_of(const Value& v) {
  std::array<int32_t, 4> n{};
  if (!v.is_constant() || v.dtype != DType::int32 || v.constant->size() != sizeof n) {
    return std::nullopt;
  }
  std::memcpy(n.data(), v.constant->data(), sizeof n);
  return n;
}

bool splits_channels(const Graph& g, const Op& op) {
  const Value& axis = g.value(op.inputs[0]);
  int32_t n = 0;
  if (!axis.is_constant() || axis.dtype != DType::int32 || axis.constant->size() != sizeof n) {
    return false;
  }
  std::memcpy(&n, axis.constant->data(), sizeof n);
  return n == 3 || n == -1;
}

// Steps of one, and no axis that comes or goes.
bool plain_slice(const Graph& g, const Op& op) {
  const auto& a = op.as<StridedSliceAttrs>();
  const auto steps = four_of(g.value(op.inputs[3]));
  return steps == std::array<int32_t, 4>{1, 1, 1, 1} && a.ellipsis_mask == 0 &&
         a.new_axis_mask == 0 && a.shrink_axis_mask == 0;
}

bool same_numbers(const Value& a, const Value& b) {
  return a.dtype == b.dtype && a.quant.scale_of(0) == b.quant.scale_of(0) &&
         unsigned_zero(a) == unsigned_zero(b);
}

// How often an axis of `in` is repeated in one of `out` whose parts agree with it; 0: they do not.
int64_t repeats(int64_t in, int64_t out) {
  if (out % in != 0) return 0;
  const int64_t k = out / in;
  for (int t = 0; t < kGrid; ++t) {
    if (part_begin(out, t) != k * part_begin(in, t)) return 0;
  }
  return k;
}

}  // namespace

std::optional<int64_t> first_channel(const Graph& g, const Op& op) {
  if (op.kind == OpKind::split) {
    if (!splits_channels(g, op)) return std::nullopt;
    return 0;
  }
  constexpr unsigned kChannels = 8;  // bit of the axis in a mask
  const auto begin = four_of(g.value(op.inputs[1]));
  if (!begin) return std::nullopt;
  int64_t first = (*begin)[3];
  if (op.kind == OpKind::strided_slice) {
    if (!plain_slice(g, op)) return std::nullopt;
    const auto mask = static_cast<unsigned>(op.as<StridedSliceAttrs>().begin_mask);
    if ((mask & kChannels) != 0) first = 0;
    if (first < 0) first += g.value(data_of(op)).shape[3];
  }
  return first;
}

std::optional<Refusal> check_part(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(data_of(op));
  if (in.is_constant() || !is_map(in)) {
    return stays(Rule::shape, index, "its input is " + to_string(in.shape) + ", not one picture");
  }
  const auto first = first_channel(g, op);
  int64_t next = first.value_or(0);
  for (const ValueId id : op.outputs) {
    const Value& out = g.value(id);
    const bool cut = first && next >= 0 && is_map(out) && out.shape[1] == in.shape[1] &&
                     out.shape[2] == in.shape[2] && next + out.shape[3] <= in.shape[3];
    if (!cut) {
      return stays(Rule::shape, index,
                   "it makes " + to_string(out.shape) + " of " + to_string(in.shape) +
                       "; only channels are cut, by constants");
    }
    if (!same_numbers(in, out)) {
      return stays(Rule::attributes, index, "'" + out.name + "' has another scale than its input");
    }
    const int64_t end = next + out.shape[3];
    if (next % 4 != 0 || (end % 4 != 0 && end != in.shape[3])) {
      return stays(Rule::shape, index,
                   "it takes channels " + std::to_string(next) + " to " + std::to_string(end - 1) +
                       "; a part begins and ends at a multiple of 4");
    }
    next = end;
  }
  return std::nullopt;
}

namespace {

std::optional<Refusal> check_doubled(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const auto& a = op.as<ResizeAttrs>();
  const bool twice = !in.is_constant() && is_map(in) && is_map(out) &&
                     in.shape[3] == out.shape[3] && out.shape[1] == 2 * in.shape[1] &&
                     out.shape[2] == 2 * in.shape[2];
  if (!twice || in.shape[1] < kGrid || in.shape[2] < kGrid) {
    return stays(Rule::shape, index,
                 "it makes " + to_string(out.shape) + " of " + to_string(in.shape) +
                     "; pictures of at least 4 x 4 get twice the size, those of one position any");
  }
  if (a.align_corners || !a.half_pixel_centers || !same_numbers(in, out)) {
    return stays(Rule::attributes, index,
                 "it is not between the middles of pixels, or has another scale than its input");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> check_resize(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  const bool one = is_vector(in) && is_map(out) && in.shape.rank() == 4 && !in.is_constant();
  if (one && in.shape[3] == out.shape[3]) {
    if (same_numbers(in, out)) return std::nullopt;
    return stays(Rule::attributes, index, "it has another scale than its input");
  }
  if (op.kind == OpKind::resize_bilinear) return check_doubled(g, index);
  if (in.is_constant() || !is_map(in) || !is_map(out) || in.shape[3] != out.shape[3]) {
    return stays(Rule::shape, index, "its input is " + to_string(in.shape) + ", not one picture");
  }
  const auto& a = op.as<ResizeAttrs>();
  if (a.align_corners || !same_numbers(in, out)) {
    return stays(Rule::attributes, index, "it aligns corners or has another scale than its input");
  }
  if (repeats(in.shape[1], out.shape[1]) == 0 || repeats(in.shape[2], out.shape[2]) == 0) {
    return stays(Rule::shape, index,
                 "it makes " + to_string(out.shape) + " of " + to_string(in.shape) +
                     "; only whole factors whose parts stay in their tiles are compiled, as of "
                     "multiples of 4");
  }
  return std::nullopt;
}

bool Lowering::few_enough(const Map& in, const Map& out) {
  const int64_t words = most_words(in, out);
  if (words <= kMostWords) return true;
  return refuse(Rule::shape, "a tile would move " + std::to_string(words) + " words at a time, " +
                                 std::to_string(kMostWords) + " can be counted");
}

bool Lowering::part(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(data_of(op));
  if (from.vector) return refuse(Rule::shape, "its input is no picture");
  int64_t offset = first_channel(graph(), op).value_or(0);
  for (const ValueId id : op.outputs) {
    Store& to = store(id);
    if (to.vector) return refuse(Rule::shape, "one of its parts is no picture");
    if (!few_enough(from.map, to.map)) return false;
    use(from.region);
    to.region = region(to.map.bytes());
    Numbers n;
    n.multiplier = 1.0F;
    n.input_zero = from.zero;
    put_limits(n, value(id), Activation::none);
    planned_.push_back({index, "part", to.map.bytes(), 0});
    emit(
        [this, n, offset, &from, &to, constants = scratch()](Program& p) {
          RescaleSpec s{&from.map, &to.map, 0, n, at(constants)};
          s.in_offset = offset;
          rescale(p, s);
        },
        kConstantLine);
    border(to);
    offset += value(id).shape[3];
  }
  return true;
}

bool Lowering::spread_layer(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (!from.vector || to.vector || from.bytes != to.map.channels) {
    return refuse(Rule::shape, "its input is no vector of " + std::to_string(to.map.channels));
  }
  const int64_t words = to.map.y.own(0) * to.map.x.own(0) * to.map.words();
  if (words > kMostWords) {
    return refuse(Rule::shape, "a tile would move " + std::to_string(words) + " words at a time, " +
                                   std::to_string(kMostWords) + " can be counted");
  }
  const int whole = whole_vector(from);
  use(whole);
  to.region = region(to.map.bytes());
  planned_.push_back({index, "repetition of one position", to.map.bytes(), 0});
  emit(
      [this, whole, &to, constants = scratch()](Program& p) {
        spread(p, {at(whole), &to.map, at(constants)});
      },
      kConstantLine);
  border(to);
  return true;
}

bool Lowering::doubled(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (from.vector || to.vector) return refuse(Rule::shape, "its input is no picture");
  if (from.two_edges) {
    return refuse(Rule::attributes,
                  "its border is the nearest position; another operator that reads the same tensor "
                  "over the edge needs a number there");
  }
  if (!few_enough(from.map, from.map)) return false;
  use(from.region);
  to.region = region(to.map.bytes());
  planned_.push_back({index, "twice the size", to.map.bytes(), 0});
  emit(
      [this, &from, &to, constants = scratch()](Program& p) {
        compiler::resize(p, {&from.map, &to.map, at(constants)});
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
  if (is_doubled(graph(), op)) return doubled(index);
  if (from.vector || to.vector) return refuse(Rule::shape, "its input is no picture");
  if (!few_enough(from.map, to.map)) return false;
  use(from.region);
  to.region = region(to.map.bytes());
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
