// ARG_MAX: the index of the largest element along an axis, the first one among equals.
// Source: kernel specification 3.11.
#include <algorithm>

#include "kernels/elements/arg_max.h"
#include "ops/core/checks.h"
#include "ops/fast/wanted_isa.h"
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

// Rows of bytes side by side.
template <class Index>
Kernel byte_row_kernel(const ArgMaxPlan& p, kernels::ArgMaxKernel kernel, bool is_signed) {
  return [p, kernel, is_signed](const Args& args) -> Status {
    args.pool.parallel_for(p.outer, grain_for(p.axis / 4), [&](int64_t begin, int64_t end, int) {
      constexpr int64_t kRows = 256;
      int32_t found[kRows];
      Index* y = args.output<Index>(0);
      for (int64_t row = begin; row < end; row += kRows) {
        const int64_t rows = std::min(kRows, end - row);
        kernel(args.input<uint8_t>(0) + row * p.axis, rows, static_cast<int>(p.axis), is_signed,
               found);
        std::copy_n(found, rows, y + row);
      }
    });
    return Ok{};
  };
}

template <class Index>
Kernel fast_kernel_for(const OpContext& c, const ArgMaxPlan& p, Prepared& prepared) {
  const DType type = c.input(0).dtype;
  const bool bytes = type == DType::int8 || type == DType::uint8;
  if (!bytes || p.inner != 1 || p.axis < 8 || p.axis > 256) return nullptr;
  const kernels::Isa isa = wanted_isa(c.options());
  const auto kernel = kernels::arg_max8(isa, static_cast<int>(p.axis));
  if (kernel == nullptr) return nullptr;
  prepared.path = std::string(kernels::name(isa));
  return byte_row_kernel<Index>(p, kernel, type == DType::int8);
}

template <class Index>
Kernel kernel_for(const OpContext& c, const ArgMaxPlan& p, Prepared& prepared) {
  if (Kernel fast = fast_kernel_for<Index>(c, p, prepared)) return fast;
  switch (c.input(0).dtype) {
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
  if (c.output(0).dtype == DType::int32) prepared.run = kernel_for<int32_t>(c, plan, prepared);
  if (c.output(0).dtype == DType::int64) prepared.run = kernel_for<int64_t>(c, plan, prepared);
  if (!prepared.run) return c.unsupported_types();
  return prepared;
}

}  // namespace edgetwin::ops
