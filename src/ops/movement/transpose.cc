// TRANSPOSE: output axis i is input axis perm[i]. Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided_kernel.h"

namespace edgetwin::ops {
namespace {

struct Permutation {
  Shape out;
  std::array<int64_t, Shape::kMaxRank> strides = {};  // in the input, by output axis
};

[[gnu::cold]] Result<Permutation> permutation(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> perm, c.constant_integers(1, "the permutation"));
  if (perm.size() != static_cast<size_t>(in.rank())) {
    return c.error(ErrorCode::op_shape, "a permutation of " + std::to_string(perm.size()) +
                                            " axes, the input is " + to_string(in));
  }
  const auto in_strides = memory_strides(in);
  std::array<bool, Shape::kMaxRank> used = {};
  Permutation result;
  for (size_t i = 0; i < perm.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, perm[i], in.rank()));
    const auto from = static_cast<size_t>(axis);
    if (used[from]) {
      return c.error(ErrorCode::op_attribute,
                     "the permutation names axis " + std::to_string(axis) + " twice");
    }
    used[from] = true;
    result.out.push_back(in[axis]);
    result.strides[i] = in_strides[from];
  }
  return result;
}

}  // namespace

Result<Prepared> prepare_transpose(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  EDGETWIN_TRY_ASSIGN(const Permutation p, permutation(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {p.out}));
  return gathered(c, std::move(prepared), StridedPlan::make(p.out, p.strides, 0));
}

}  // namespace edgetwin::ops
