// DepthToSpace, SpaceToDepth and InsertZeros with channels before the axes of the picture.
#include "ops/core/checks.h"
#include "ops/onnx/common.h"
#include "ops/onnx/prepare.h"

namespace edgetwin::ops::onnx {
namespace {

[[gnu::cold]] Result<Shape> block_input(const OpContext& c, int64_t b) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const Shape& in = c.input_shape(0);
  if (in.rank() == 4 && in.elements() > 0 && b >= 1 && b <= 4096) return Shape{in};
  return c.error(ErrorCode::op_shape, "blocks of " + std::to_string(b) + " of a tensor of " +
                                          to_string(in) + "; NxCxHxW is expected");
}

// The channel of the deep tensor that holds `row`, `column` of the block of channel `ch`.
int64_t deep_channel(const BlockAttrs& a, int64_t channels, int64_t ch, int64_t row,
                     int64_t column) {
  const int64_t b = a.block_size;
  if (a.order == BlockAttrs::Order::channel_first) return (ch * b + row) * b + column;
  return (row * b + column) * channels + ch;
}

// Calls fn(offset in the deep tensor, offset in the wide one) for every element.
template <class Fn>
void each_pair(const BlockAttrs& a, const Shape& wide, const Fn& fn) {
  const int64_t b = a.block_size;
  const int64_t h = wide[2] / b;
  const int64_t w = wide[3] / b;
  int64_t at = 0;
  for (int64_t n = 0; n < wide[0]; ++n) {
    for (int64_t ch = 0; ch < wide[1]; ++ch) {
      for (int64_t y = 0; y < wide[2]; ++y) {
        for (int64_t x = 0; x < wide[3]; ++x, ++at) {
          const int64_t deep = deep_channel(a, wide[1], ch, y % b, x % b);
          fn(((n * wide[1] * b * b + deep) * h + y / b) * w + x / b, at);
        }
      }
    }
  }
}

}  // namespace

Result<Prepared> prepare_depth_to_space(const OpContext& c) {
  const BlockAttrs a = c.op().as<BlockAttrs>();
  const int64_t b = a.block_size;
  EDGETWIN_TRY_ASSIGN(const Shape in, block_input(c, b));
  if (in[1] % (b * b) != 0) {
    return c.error(ErrorCode::op_shape,
                   to_string(in) + " has no channels for blocks of " + std::to_string(b));
  }
  const Shape out{in[0], in[1] / (b * b), in[2] * b, in[3] * b};
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [a, out](const Args& args) -> Status {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      each_pair(a, out, [&](int64_t deep, int64_t wide) { y[wide] = x[deep]; });
      return Ok{};
    };
    return std::move(prepared);
  });
}

Result<Prepared> prepare_space_to_depth(const OpContext& c) {
  const BlockAttrs a = c.op().as<BlockAttrs>();
  const int64_t b = a.block_size;
  EDGETWIN_TRY_ASSIGN(const Shape in, block_input(c, b));
  if (in[2] % b != 0 || in[3] % b != 0) {
    return c.error(ErrorCode::op_shape,
                   to_string(in) + " cannot be divided into blocks of " + std::to_string(b));
  }
  const Shape out{in[0], in[1] * b * b, in[2] / b, in[3] / b};
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [a, in](const Args& args) -> Status {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      each_pair(a, in, [&](int64_t deep, int64_t wide) { y[deep] = x[wide]; });
      return Ok{};
    };
    return std::move(prepared);
  });
}

Result<Prepared> prepare_insert_zeros(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<InsertZerosAttrs>();
  const Shape& in = c.input_shape(0);
  const auto axes = static_cast<size_t>(std::max(0, in.rank() - 2));
  if (axes < 1 || axes > 2 || in.elements() < 1 || a.stride.size() != axes ||
      (!a.output_padding.empty() && a.output_padding.size() != axes)) {
    return c.error(ErrorCode::op_shape, "one stride per spatial axis of a tensor NxCxHxW or NxCxW");
  }
  Shape out = in;
  for (size_t i = 0; i < axes; ++i) {
    const int64_t padding = a.output_padding.empty() ? 0 : a.output_padding[i];
    if (a.stride[i] < 1 || a.stride[i] > 4096 || padding < 0 || padding > 4096) {
      return c.error(ErrorCode::op_attribute, "stride or output_padding out of range");
    }
    const int axis = static_cast<int>(i) + 2;
    out[axis] = (in[axis] - 1) * a.stride[i] + 1 + padding;
  }
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  const int64_t sh = axes == 2 ? a.stride[0] : 1;
  const int64_t sw = a.stride[axes - 1];
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [in = channels_last(in), out = channels_last(out), sh,
                    sw](const Args& args) -> Status {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      std::fill_n(y, out.elements(), T{0});
      for (int64_t plane = 0; plane < in[0] * in[3]; ++plane) {
        for (int64_t i = 0; i < in[1] * in[2]; ++i) {
          const int64_t row = i / in[2] * sh;
          y[(plane * out[1] + row) * out[2] + i % in[2] * sw] = x[plane * in[1] * in[2] + i];
        }
      }
      return Ok{};
    };
    return std::move(prepared);
  });
}

}  // namespace edgetwin::ops::onnx
