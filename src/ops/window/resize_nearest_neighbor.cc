// RESIZE_NEAREST_NEIGHBOR. Source: kernel specification 3.9.
#include <cstring>

#include "numerics/nearest.h"
#include "ops/core/checks.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

constexpr int64_t kMaxSide = 1 << 24;

std::vector<int64_t> sources(int64_t in, int64_t out, const ResizeAttrs& a) {
  return numerics::nearest_sources({in, out, a.align_corners, a.half_pixel_centers});
}

struct NearestPlan {
  int64_t batch, in_h, in_w, pixel_bytes;
  std::vector<int64_t> rows, columns;
};

Kernel resize_kernel(NearestPlan plan) {
  auto shared = std::make_shared<const NearestPlan>(std::move(plan));
  return [shared](const Args& args) -> Status {
    const NearestPlan& p = *shared;
    if (p.pixel_bytes == 0) return Ok{};
    std::byte* to = args.outputs[0];
    const int64_t row_bytes = static_cast<int64_t>(p.columns.size()) * p.pixel_bytes;
    for (int64_t n = 0; n < p.batch; ++n) {
      int64_t before = -1;
      for (const int64_t y : p.rows) {
        if (y == before) {
          std::memcpy(to, to - row_bytes, static_cast<size_t>(row_bytes));
          to += row_bytes;
          continue;
        }
        before = y;
        const std::byte* row = args.inputs[0] + (n * p.in_h + y) * p.in_w * p.pixel_bytes;
        for (const int64_t x : p.columns) {
          copy_bytes(to, row + x * p.pixel_bytes, p.pixel_bytes);
          to += p.pixel_bytes;
        }
      }
    }
    return Ok{};
  };
}

}  // namespace

Result<Prepared> prepare_resize_nearest_neighbor(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(0);
  if (in.rank() != 4 || in[1] == 0 || in[2] == 0) {
    return c.error(ErrorCode::op_shape, "the input must be NxHxWxC, it is " + to_string(in));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> size, c.constant_integers(1, "the size"));
  const auto sane = [](int64_t v) { return v >= 1 && v <= kMaxSide; };
  if (size.size() != 2 || !sane(size[0]) || !sane(size[1])) {
    return c.error(ErrorCode::op_shape, "the size must be two numbers from 1 to 2^24");
  }
  const DType type = c.input(0).dtype;
  if (byte_size(type) == 0) return c.unsupported_types();
  EDGETWIN_TRY_ASSIGN(Prepared prepared,
                      checks::movement(c, 0, 1, {Shape{in[0], size[0], size[1], in[3]}}));
  const auto& a = c.op().as<ResizeAttrs>();
  prepared.run = resize_kernel({in[0], in[1], in[2], in[3] * static_cast<int64_t>(byte_size(type)),
                                sources(in[1], size[0], a), sources(in[2], size[1], a)});
  return prepared;
}

}  // namespace edgetwin::ops
