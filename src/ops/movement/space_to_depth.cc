// SPACE_TO_DEPTH and DEPTH_TO_SPACE: blocks of pixels become channels, and the other way round.
// With block size b: depth[n, y, x, (by*b + bx)*C + k] = space[n, y*b + by, x*b + bx, k].
// Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided.h"

namespace edgetwin::ops {
namespace {

Status check_input(const OpContext& c, int64_t block) {
  EDGETWIN_TRY(checks::operands(c, 1));
  if (c.input_shape(0).rank() != 4) {
    return c.error(ErrorCode::op_shape,
                   "the input must be NxHxWxC, it is " + to_string(c.input_shape(0)));
  }
  if (block < 1 || block > 4096) {
    return c.error(ErrorCode::op_attribute, "block_size " + std::to_string(block));
  }
  return Ok{};
}

Error not_divisible(const OpContext& c, int64_t block) {
  return c.error(ErrorCode::op_shape, to_string(c.input_shape(0)) +
                                          " cannot be divided by the block size " +
                                          std::to_string(block));
}

// Copies through the six dimensions [n, y, by, x, bx, k] of the side with space, in which the side
// with depth has strides.
[[gnu::cold]] Result<Prepared> rearrange(const OpContext& c, const Shape& space, int64_t block,
                                         bool to_depth) {
  const int64_t h = space[1] / block;
  const int64_t w = space[2] / block;
  const int64_t k = space[3];
  const Shape depth{space[0], h, w, k * block * block};
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {to_depth ? depth : space}));
  const int64_t pixel = depth[3];
  const std::array<int64_t, 6> strides = {h * w * pixel, w * pixel, block * k, pixel, k, 1};
  const auto plan = StridedPlan::make({space[0], h, block, w, block, k}, strides, 0);
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [plan, to_depth](const Args& args) -> Status {
      if (to_depth) {
        plan.scatter(args.input<T>(0), args.output<T>(0));
      } else {
        plan.gather(args.input<T>(0), args.output<T>(0));
      }
      return Ok{};
    };
    return std::move(prepared);
  });
}

}  // namespace

Result<Prepared> prepare_space_to_depth(const OpContext& c) {
  const int64_t block = c.op().as<BlockAttrs>().block_size;
  EDGETWIN_TRY(check_input(c, block));
  const Shape& in = c.input_shape(0);
  if (in[1] % block != 0 || in[2] % block != 0) return not_divisible(c, block);
  return rearrange(c, in, block, true);
}

Result<Prepared> prepare_depth_to_space(const OpContext& c) {
  const int64_t block = c.op().as<BlockAttrs>().block_size;
  EDGETWIN_TRY(check_input(c, block));
  const Shape& in = c.input_shape(0);
  if (in[3] % (block * block) != 0) return not_divisible(c, block);
  const Shape space{in[0], in[1] * block, in[2] * block, in[3] / (block * block)};
  return rearrange(c, space, block, false);
}

}  // namespace edgetwin::ops
