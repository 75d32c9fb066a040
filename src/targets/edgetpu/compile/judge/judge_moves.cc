// Operators that only move bytes of a picture.
#include <algorithm>
#include <array>
#include <cstring>

#include "graph/uses.h"
#include "targets/edgetpu/compile/judge/judge.h"
#include "targets/edgetpu/compile/place/map.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// A constant of N int32.
template <size_t N>
std::optional<std::array<int32_t, N>> numbers_in(const Value& v) {
  std::array<int32_t, N> n{};
  if (!v.is_constant() || v.dtype != DType::int32 || v.constant->size() != sizeof n) {
    return std::nullopt;
  }
  std::memcpy(n.data(), v.constant->data(), sizeof n);
  return n;
}

// Forward, and no axis that comes or goes.
std::optional<std::array<int32_t, 4>> slice_steps(const Graph& g, const Op& op) {
  const auto& a = op.as<StridedSliceAttrs>();
  const auto steps = numbers_in<4>(g.value(op.inputs[3]));
  if (!steps || std::ranges::any_of(*steps, [](int32_t k) { return k < 1; })) return std::nullopt;
  const bool plain = a.ellipsis_mask == 0 && a.new_axis_mask == 0 && a.shrink_axis_mask == 0;
  return plain ? steps : std::nullopt;
}

std::array<int64_t, 4> sizes_of(const Shape& s) { return {s[0], s[1], s[2], s[3]}; }

// Where the first result begins in the picture; and the axis along which the others follow.
struct FirstCut {
  std::array<int64_t, 4> begin{}, step{1, 1, 1, 1};
  size_t axis = 3;
};

std::optional<FirstCut> first_cut(const Graph& g, const Op& op, const Shape& in) {
  FirstCut first;
  if (op.kind == OpKind::split) {
    const auto axis = numbers_in<1>(g.value(op.inputs[0]));
    const int32_t a = axis ? (*axis)[0] + ((*axis)[0] < 0 ? 4 : 0) : 0;
    if (a < 1 || a > 3) return std::nullopt;
    first.axis = static_cast<size_t>(a);
    return first;
  }
  const auto begin = numbers_in<4>(g.value(op.inputs[1]));
  if (!begin) return std::nullopt;
  std::copy(begin->begin(), begin->end(), first.begin.begin());
  if (op.kind == OpKind::slice) return first;
  const auto steps = slice_steps(g, op);
  if (!steps) return std::nullopt;
  std::copy(steps->begin(), steps->end(), first.step.begin());
  const auto mask = static_cast<unsigned>(op.as<StridedSliceAttrs>().begin_mask);
  for (size_t k = 0; k < 4; ++k) {
    int64_t& at = first.begin[k];
    if ((mask >> k & 1U) != 0) at = 0;
    if (at < 0) at += in[static_cast<int>(k)];
  }
  return first;
}

}  // namespace

std::optional<std::vector<Cut>> cuts_of(const Graph& g, const Op& op) {
  const Shape& in = g.value(data_of(op)).shape;
  if (in.rank() != 4) return std::nullopt;
  const auto first = first_cut(g, op, in);
  if (!first) return std::nullopt;
  std::vector<Cut> cuts;
  std::array<int64_t, 4> at = first->begin;
  for (const ValueId id : op.outputs) {
    const Shape& out = g.value(id).shape;
    if (out.rank() != 4) return std::nullopt;
    Cut cut{at, sizes_of(out), first->step};
    for (size_t k = 0; k < 4; ++k) {
      const int64_t end = cut.begin[k] + (cut.size[k] - 1) * cut.step[k] + 1;
      if (cut.begin[k] < 0 || end > in[static_cast<int>(k)]) return std::nullopt;
    }
    at[first->axis] += cut.size[first->axis];
    cuts.push_back(cut);
  }
  return cuts;
}

Answer check_part(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(data_of(op));
  if (in.is_constant() || !is_map(in)) {
    return no(Rule::shape, index, "its input is " + to_string(in.shape) + ", not one picture");
  }
  const auto cuts = cuts_of(g, op);
  for (const ValueId id : op.outputs) {
    const Value& out = g.value(id);
    if (!cuts || !is_map(out)) {
      return no(Rule::shape, index,
                "it makes " + to_string(out.shape) + " of " + to_string(in.shape) +
                    "; pictures are cut by constants, forward");
    }
    if (!same_numbers(in, out)) {
      return no(Rule::attributes, index, "'" + out.name + "' has another scale than its input");
    }
  }
  return std::nullopt;
}

std::optional<std::array<int32_t, 8>> pads_of(const Graph& g, const Op& op) {
  const auto n = numbers_in<8>(g.value(op.inputs[1]));
  if (!n || (*n)[0] != 0 || (*n)[1] != 0) return std::nullopt;
  const bool below = std::any_of(n->begin(), n->end(), [](int32_t k) { return k < 0; });
  return below ? std::nullopt : n;
}

Answer check_pad(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  if (in.is_constant() || !is_map(in) || !is_map(out)) {
    return no(Rule::shape, index, "its input is " + to_string(in.shape) + ", not one picture");
  }
  const auto pads = pads_of(g, op);
  if (!pads) {
    return no(Rule::attributes, index,
              "what it adds is not a constant, or it adds pictures to the batch");
  }
  for (size_t k = 0; k < 4; ++k) {
    const auto axis = static_cast<int>(k);
    const int64_t size = in.shape[axis] + (*pads)[2 * k] + (*pads)[2 * k + 1];
    if (size != out.shape[axis]) return no_sizes(g, index);
  }
  if (!same_numbers(in, out)) {
    return no(Rule::attributes, index, "its result has another scale than its input");
  }
  return std::nullopt;
}

bool only_reshapes(const Op& op) {
  return op.kind == OpKind::reshape || op.kind == OpKind::squeeze || op.kind == OpKind::expand_dims;
}

std::optional<std::array<int32_t, 4>> transposed_axes(const Graph& g, const Op& op) {
  const auto axes = numbers_in<4>(g.value(op.inputs[1]));
  if (!axes || (*axes)[0] != 0) return std::nullopt;
  auto sorted = *axes;
  std::ranges::sort(sorted);
  if (sorted != std::array<int32_t, 4>{0, 1, 2, 3}) return std::nullopt;
  return axes;
}

namespace {

// What `op` makes a picture of, or of a picture, without another byte.
bool only_regroups(const Graph& g, const Op& op) {
  return only_reshapes(op) && changes_nothing(g, op);
}

}  // namespace

std::optional<MixedChannels> mixed_channels(const Graph& g, const Op& op) {
  if (op.kind != OpKind::transpose) return std::nullopt;
  const Value &in = g.value(op.inputs[0]), &out = g.value(op.outputs[0]);
  const Shape& s = in.shape;
  const auto axes = numbers_in<5>(g.value(op.inputs[1]));
  if (s.rank() != 5 || s[0] != 1 || axes != std::array<int32_t, 5>{0, 1, 2, 4, 3}) {
    return std::nullopt;
  }
  const Uses uses(g);
  const auto before = uses.producer(op.inputs[0]), after = uses.only_consumer(op.outputs[0]);
  if (!before || !after || !uses.only_consumer(op.inputs[0])) return std::nullopt;
  const Op &first = g.ops[*before], &last = g.ops[*after];
  if (!only_regroups(g, first) || !only_regroups(g, last)) return std::nullopt;
  const Shape whole = {1, s[1], s[2], s[3] * s[4]};
  const Value& made = g.value(last.outputs[0]);
  if (g.value(first.inputs[0]).shape != whole || made.shape != whole || !is_map(made) ||
      !same_numbers(in, out)) {
    return std::nullopt;
  }
  return MixedChannels{s[3], s[4], {s[1], s[2], s[3] * s[4]}};
}

bool tiles_one(const Graph& g, const Op& op) {
  if (op.kind != OpKind::tile) return false;
  const Value& in = g.value(op.inputs[0]);
  const auto picture = picture_of(g.value(op.outputs[0]));
  return !in.is_constant() && is_vector(in) && picture && picture->channels == in.shape.elements();
}

Answer check_tile(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  if (!tiles_one(g, op)) {
    return no(Rule::shape, index,
              "it makes " + to_string(out.shape) + " of " + to_string(in.shape) +
                  "; only one position is repeated");
  }
  if (!same_numbers(in, out)) {
    return no(Rule::attributes, index, "its result has another scale than its input");
  }
  return std::nullopt;
}

Answer check_transpose(const Graph& g, size_t index) {
  const Op& op = g.ops[index];
  const Value& in = g.value(op.inputs[0]);
  const Value& out = g.value(op.outputs[0]);
  if (mixed_channels(g, op)) return std::nullopt;
  const auto axes = transposed_axes(g, op);
  const std::string makes = "it makes " + to_string(out.shape) + " of " + to_string(in.shape);
  if (in.is_constant() || !is_map(in) || !is_map(out) || !axes) {
    return no(Rule::attributes, index,
              makes + "; rows, columns and channels of one picture can change places");
  }
  for (int k = 0; k < 4; ++k) {
    if (out.shape[k] != in.shape[(*axes)[static_cast<size_t>(k)]]) return no_sizes(g, index);
  }
  if ((*axes)[3] != 3 && out.shape[3] % 4 != 0) {
    return no(
        Rule::shape, index,
        makes + "; where channels change places, those of the result must be a multiple of 4");
  }
  if (!same_numbers(in, out)) {
    return no(Rule::attributes, index, "its result has another scale than its input");
  }
  return std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler
