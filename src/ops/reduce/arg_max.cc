// ARG_MAX: the index of the largest element along an axis, the first one among equals.
// Source: kernel specification 3.11.
#include "ops/core/checks.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {
namespace {

// The input as outer x axis x inner.
struct ArgMaxPlan {
  int64_t outer, axis, inner;
};

template <class T, class Index>
Kernel arg_max_kernel(const ArgMaxPlan& p) {
  return [p](const Args& args) -> Status {
    const T* x = args.input<T>(0);
    Index* y = args.output<Index>(0);
    for (int64_t o = 0; o < p.outer; ++o, x += p.axis * p.inner) {
      for (int64_t i = 0; i < p.inner; ++i) {
        int64_t best = 0;
        for (int64_t k = 1; k < p.axis; ++k) {
          if (x[k * p.inner + i] > x[best * p.inner + i]) best = k;
        }
        *y++ = static_cast<Index>(best);
      }
    }
    return Ok{};
  };
}

template <class Index>
Kernel kernel_for(DType type, const ArgMaxPlan& p) {
  switch (type) {
    case DType::float32:
      return arg_max_kernel<float, Index>(p);
    case DType::int8:
      return arg_max_kernel<int8_t, Index>(p);
    case DType::uint8:
      return arg_max_kernel<uint8_t, Index>(p);
    case DType::int16:
      return arg_max_kernel<int16_t, Index>(p);
    case DType::int32:
      return arg_max_kernel<int32_t, Index>(p);
    default:
      return nullptr;
  }
}

}  // namespace

Result<Prepared> prepare_arg_max(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int64_t wanted, checks::one_integer(c, 1, "the axis"));
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, wanted, in.rank()));
  if (in[axis] == 0) {
    return c.error(ErrorCode::op_shape, "axis " + std::to_string(axis) + " of " + to_string(in) +
                                            " has no elements to choose from");
  }
  const ArgMaxPlan plan{in.elements(0, axis), in[axis], in.elements(axis + 1, in.rank())};
  Prepared prepared;
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    if (i != axis) out.push_back(in[i]);
  }
  EDGETWIN_TRY(checks::output_shape(c, 0, out));
  prepared.output_shapes = {out};
  const DType type = c.input(0).dtype;
  if (c.output(0).dtype == DType::int32) prepared.run = kernel_for<int32_t>(type, plan);
  if (c.output(0).dtype == DType::int64) prepared.run = kernel_for<int64_t>(type, plan);
  if (!prepared.run) return c.unsupported_types();
  return prepared;
}

}  // namespace edgetwin::ops
