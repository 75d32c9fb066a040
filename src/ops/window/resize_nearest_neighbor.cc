// RESIZE_NEAREST_NEIGHBOR. Source: kernel specification 3.9.
#include <algorithm>
#include <memory>

#include "numerics/nearest.h"
#include "ops/core/checks.h"
#include "ops/fast/wanted_isa.h"
#include "ops/window/nearest_rows.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

constexpr int64_t kMaxSide = 1 << 24;

std::vector<int64_t> sources(int64_t in, int64_t out, const ResizeAttrs& a) {
  return numerics::nearest_sources({in, out, a.align_corners, a.half_pixel_centers});
}

Kernel resize_kernel(const Shape& in, NearestRows rows, int64_t pixel_bytes) {
  const int64_t in_row = in[2] * pixel_bytes, in_picture = in[1] * in_row;
  return [rows = std::make_shared<const NearestRows>(std::move(rows)), in_row, in_picture,
          batch = in[0]](const Args& args) -> Status {
    const int64_t height = rows->height();
    args.pool.parallel_for(
        batch * height, grain_for(rows->row_bytes() / 8), [&](int64_t begin, int64_t end, int) {
          while (begin < end) {
            const int64_t y = begin % height, count = std::min(end - begin, height - y);
            const std::byte* picture = args.inputs[0] + begin / height * in_picture;
            rows->copy(y, y + count, args.outputs[0] + begin * rows->row_bytes(),
                       [&](int64_t from) { return picture + from * in_row; });
            begin += count;
          }
        });
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
  const int64_t pixel_bytes = in[3] * static_cast<int64_t>(byte_size(type));
  if (pixel_bytes == 0) {
    prepared.run = [](const Args&) -> Status { return Ok{}; };
    return prepared;
  }
  const kernels::Isa isa = wanted_isa(c.options());
  NearestRows rows(sources(in[1], size[0], a), sources(in[2], size[1], a), in[2], pixel_bytes,
                   kernels::resize_table(isa));
  if (rows.has_kernel()) prepared.path = std::string(kernels::name(isa));
  prepared.run = resize_kernel(in, std::move(rows), pixel_bytes);
  return prepared;
}

}  // namespace edgetwin::ops
