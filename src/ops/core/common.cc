#include "ops/core/common.h"

#include <algorithm>

namespace edgetwin::ops {

Result<std::vector<int64_t>> OpContext::constant_integers(size_t i, std::string_view what) const {
  const Bytes* data = constant(i);
  if (data == nullptr) {
    return error(ErrorCode::op_constant, std::string(what) + " must be a constant");
  }
  const DType type = input(i).dtype;
  if (type != DType::int32 && type != DType::int64) return unsupported_types();
  std::vector<int64_t> result(data->size() / byte_size(type));
  for (size_t k = 0; k < result.size(); ++k) {
    if (type == DType::int32) {
      result[k] = reinterpret_cast<const int32_t*>(data->data())[k];
    } else {
      result[k] = reinterpret_cast<const int64_t*>(data->data())[k];
    }
  }
  return result;
}

Error OpContext::unsupported_types() const {
  std::string types;
  const auto add = [&](const std::string& what, const Value& v) {
    types += (types.empty() ? "" : ", ") + what + " " + std::string(name(v.dtype));
  };
  const size_t shown = std::min<size_t>(input_count(), 6);
  for (size_t i = 0; i < shown; ++i) {
    if (has_input(i)) add("input " + std::to_string(i), input(i));
  }
  if (output_count() > 0) add("output", output(0));
  return error(ErrorCode::op_type, "not defined for these types: " + types);
}

numerics::RealRange real_range(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return {0.0F, std::numeric_limits<float>::infinity()};
    case Activation::relu6:
      return {0.0F, 6.0F};
    case Activation::relu_n1_to_1:
      return {-1.0F, 1.0F};
    default:
      return {};
  }
}

Status check_activation(const OpContext& c, Activation activation) {
  if (activation != Activation::tanh && activation != Activation::sign_bit) return Ok{};
  return c.error(ErrorCode::op_attribute,
                 "the fused activation " + std::string(name(activation)) + " is not defined here");
}

namespace {

struct Extent {
  int64_t out;
  int64_t pad;
};

// One axis of section 1.7.
Extent axis_extent(int64_t in, int64_t kernel, int64_t stride, int64_t dilation, Padding::Kind kind,
                   int64_t before, int64_t after) {
  const int64_t effective = (kernel - 1) * dilation + 1;
  if (kind == Padding::Kind::given) {
    const int64_t room = in + before + after - effective;
    return {room < 0 ? 0 : room / stride + 1, before};
  }
  const int64_t out =
      kind == Padding::Kind::same ? (in + stride - 1) / stride : (in + stride - effective) / stride;
  const int64_t total = std::max<int64_t>(0, (out - 1) * stride + effective - in);
  return {out, total / 2};
}

constexpr int64_t kMaxSize = 1 << 24;  // of one dimension, a stride or a dilation

bool sane(int64_t v) { return v >= 1 && v <= kMaxSize; }

}  // namespace

Result<Window2D> window_geometry(const OpContext& c, const Shape& in, const WindowAttrs& a) {
  if (in.rank() != 4 || !sane(in[0]) || !sane(in[1]) || !sane(in[2]) || !sane(in[3])) {
    return c.error(ErrorCode::op_shape, "the input must be NxHxWxC, it is " + to_string(in));
  }
  if (!sane(a.stride_h) || !sane(a.stride_w) || !sane(a.dilation_h) || !sane(a.dilation_w) ||
      !sane(a.kernel_h) || !sane(a.kernel_w)) {
    return c.error(ErrorCode::op_attribute,
                   "stride " + std::to_string(a.stride_h) + "x" + std::to_string(a.stride_w) +
                       ", dilation " + std::to_string(a.dilation_h) + "x" +
                       std::to_string(a.dilation_w) + ", window " + std::to_string(a.kernel_h) +
                       "x" + std::to_string(a.kernel_w) + ": all must be at least 1");
  }
  const Extent y = axis_extent(in[1], a.kernel_h, a.stride_h, a.dilation_h, a.padding.kind,
                               a.padding.top, a.padding.bottom);
  const Extent x = axis_extent(in[2], a.kernel_w, a.stride_w, a.dilation_w, a.padding.kind,
                               a.padding.left, a.padding.right);
  if (y.out < 1 || x.out < 1 || y.pad > kMaxSize || x.pad > kMaxSize) {
    return c.error(ErrorCode::op_shape, "the window does not fit into the picture " + to_string(in))
        .detail("output would be " + std::to_string(y.out) + "x" + std::to_string(x.out));
  }
  const auto i = [](int64_t v) { return static_cast<int>(v); };
  return Window2D{.batch = i(in[0]),
                  .in_h = i(in[1]),
                  .in_w = i(in[2]),
                  .in_c = i(in[3]),
                  .out_h = i(y.out),
                  .out_w = i(x.out),
                  .out_c = 0,
                  .kernel_h = a.kernel_h,
                  .kernel_w = a.kernel_w,
                  .stride_h = a.stride_h,
                  .stride_w = a.stride_w,
                  .dilation_h = a.dilation_h,
                  .dilation_w = a.dilation_w,
                  .pad_top = i(y.pad),
                  .pad_left = i(x.pad)};
}

Result<int> normal_axis(const OpContext& c, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return c.error(ErrorCode::op_attribute, "axis " + std::to_string(axis) + " of a tensor with " +
                                                std::to_string(rank) + " dimensions");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Status need_same_type(const OpContext& c, std::initializer_list<DType> types) {
  for (const DType t : types) {
    if (t != *types.begin()) return c.unsupported_types();
  }
  return Ok{};
}

}  // namespace edgetwin::ops
