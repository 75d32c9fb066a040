// DepthToSpace and SpaceToDepth in the channel orders of ONNX and ESP-DL; InsertZeros.
// Source: specification of the runtime, operators 2.3 and 7.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

[[gnu::cold]] Result<Shape> block_input(const OpContext& c, int64_t b) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const Shape& in = c.input_shape(0);
  if (in.rank() != 4 || b < 1 || b > 4096) {
    return c.error(ErrorCode::op_shape, "blocks of " + std::to_string(b) + " of a tensor of " +
                                            to_string(in) + "; NxHxWxC is expected");
  }
  return in;
}

// Where input channel ch of a pixel goes: row and column in the block, channel of the output.
struct BlockPosition {
  int64_t row, column, channel;
};

BlockPosition position_of(BlockAttrs::Order order, int64_t ch, int64_t b) {
  const int64_t within = ch % (b * b);
  if (order == BlockAttrs::Order::channel_first) return {within / b, within % b, ch / (b * b)};
  return {ch / (b * b), within / b, ch % b};
}

}  // namespace

Result<Prepared> prepare_depth_to_space_of_onnx(const OpContext& c) {
  const auto& a = c.op().as<BlockAttrs>();
  if (a.order == BlockAttrs::Order::position_first) return prepare_depth_to_space(c);
  const int64_t b = a.block_size;
  EDGETWIN_TRY_ASSIGN(const Shape in, block_input(c, b));
  if (in[3] % (b * b) != 0) {
    return c.error(ErrorCode::op_shape,
                   to_string(in) + " has no channels for blocks of " + std::to_string(b));
  }
  const int64_t channels = in[3] / (b * b);
  const bool dcr = a.order == BlockAttrs::Order::block_wide;
  if (dcr && channels != b && !c.options().allow_undefined) {
    return c
        .error(ErrorCode::op_undefined,
               "mode DCR: the runtime permutes wrongly, and may write outside the row")
        .detail("it is right only where the output has as many channels as the block is wide: " +
                std::to_string(channels) + " channels, block " + std::to_string(b))
        .with_hint("Use mode CRD, with the channels of the operator before permuted.");
  }
  const Shape out{in[0], in[1] * b, in[2] * b, channels};
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [in, out, b, order = a.order](const Args& args) -> Status {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      if (order == BlockAttrs::Order::block_wide) std::fill_n(y, out.elements(), T{0});
      for (int64_t i = 0; i < in.elements(); ++i) {
        const int64_t pixel = i / in[3];
        const BlockPosition t = position_of(order, i % in[3], b);
        const int64_t row = pixel / in[2] * b + t.row;
        const int64_t column = pixel % in[2] * b + t.column;
        const int64_t to = (row * out[2] + column) * out[3] + t.channel;
        // What the runtime writes outside the tensor is lost here.
        if (to < out.elements()) y[to] = x[i];
      }
      return Ok{};
    };
    return std::move(prepared);
  });
}

Result<Prepared> prepare_space_to_depth_of_onnx(const OpContext& c) {
  const auto& a = c.op().as<BlockAttrs>();
  if (a.order == BlockAttrs::Order::position_first) return prepare_space_to_depth(c);
  const int64_t b = a.block_size;
  EDGETWIN_TRY_ASSIGN(const Shape in, block_input(c, b));
  if (in[1] % b != 0 || in[2] % b != 0) {
    return c.error(ErrorCode::op_shape,
                   to_string(in) + " cannot be divided into blocks of " + std::to_string(b));
  }
  const Shape out{in[0], in[1] / b, in[2] / b, in[3] * b * b};
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {out}));
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [in, out, b](const Args& args) -> Status {
      const T* x = args.input<T>(0);
      T* y = args.output<T>(0);
      for (int64_t i = 0; i < in.elements(); ++i) {
        const int64_t pixel = i / in[3];
        const int64_t row = pixel / in[2];  // of all pictures
        const int64_t column = pixel % in[2];
        const int64_t channel = i % in[3] * b * b + row % b * b + column % b;
        y[((row / b) * out[2] + column / b) * out[3] + channel] = x[i];
      }
      return Ok{};
    };
    return std::move(prepared);
  });
}

Result<Prepared> prepare_insert_zeros(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<InsertZerosAttrs>();
  const Shape in = with_height(c.input_shape(0));
  const size_t axes = c.input_shape(0).rank() == 3 ? 1 : 2;
  if (in.rank() != 4 || a.stride.size() != axes ||
      (!a.output_padding.empty() && a.output_padding.size() != axes)) {
    return c.error(ErrorCode::op_shape, "one stride per spatial axis of a tensor NxHxWxC or NxWxC");
  }
  int64_t stride[2] = {1, 1};
  int64_t padding[2] = {0, 0};
  for (size_t i = 0; i < axes; ++i) {
    stride[2 - axes + i] = a.stride[i];
    if (!a.output_padding.empty()) padding[2 - axes + i] = a.output_padding[i];
    const bool sane = a.stride[i] >= 1 && a.stride[i] <= 4096 && padding[2 - axes + i] >= 0 &&
                      padding[2 - axes + i] <= 4096;
    if (!sane) return c.error(ErrorCode::op_attribute, "stride or output_padding out of range");
  }
  const auto grown = [&](int64_t size, int i) {
    return size + (stride[i] - 1) * (size - 1) + padding[i];
  };
  const Shape nhwc{in[0], grown(in[1], 0), grown(in[2], 1), in[3]};
  EDGETWIN_TRY_ASSIGN(Prepared prepared,
                      checks::movement(c, 0, 1, {like_input(nhwc, c.input_shape(0))}));
  const int64_t element = static_cast<int64_t>(byte_size(c.input(0).dtype));
  if (element == 0) return c.unsupported_types();
  prepared.run = [in, nhwc, element, sh = stride[0], sw = stride[1]](const Args& args) -> Status {
    const int64_t bytes = in[3] * element, line = nhwc[2] * bytes;
    const std::byte* x = args.inputs[0];
    std::byte* y = args.outputs[0];
    // A line at a time, which is in the cache where its pixels are put.
    for (int64_t row = 0; row < nhwc[0] * nhwc[1]; ++row, y += line) {
      std::memset(y, 0, static_cast<size_t>(line));
      const int64_t h = row % nhwc[1];
      if (h % sh != 0 || h / sh >= in[1]) continue;
      for (int64_t w = 0; w < in[2]; ++w, x += bytes) copy_bytes(y + w * sw * bytes, x, bytes);
    }
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
