// MAXIMUM and MINIMUM on the stored numbers: scales are positive, so that the order of the integers
// is that of the reals where operands share their quantization, which the converter guarantees.
#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {
namespace {

// The second operand wins over equals and against a NaN on either side: one comparison, as the
// reference kernels have it.
template <class T, bool maximum>
T choose(T a, T b) {
  return (maximum ? a > b : a < b) ? a : b;
}

template <class T, bool maximum>
Kernel min_max_kernel(const BroadcastPlan& plan) {
  return [plan](const Args& args) -> Status {
    const T* a = args.input<T>(0);
    const T* b = args.input<T>(1);
    T* y = args.output<T>(0);
    plan.for_each_run([&](int64_t ia, int64_t ib, int64_t iy, int64_t n, int64_t sa, int64_t sb) {
      for (int64_t i = 0; i < n; ++i)
        y[iy + i] = choose<T, maximum>(a[ia + i * sa], b[ib + i * sb]);
    });
    return Ok{};
  };
}

template <bool maximum>
Kernel kernel_for(DType type, const BroadcastPlan& plan) {
  switch (type) {
    case DType::float32:
      return min_max_kernel<float, maximum>(plan);
    case DType::float64:
      return min_max_kernel<double, maximum>(plan);
    case DType::int8:
      return min_max_kernel<int8_t, maximum>(plan);
    case DType::uint8:
      return min_max_kernel<uint8_t, maximum>(plan);
    case DType::int16:
      return min_max_kernel<int16_t, maximum>(plan);
    case DType::uint16:
      return min_max_kernel<uint16_t, maximum>(plan);
    case DType::int32:
      return min_max_kernel<int32_t, maximum>(plan);
    case DType::uint32:
      return min_max_kernel<uint32_t, maximum>(plan);
    case DType::int64:
      return min_max_kernel<int64_t, maximum>(plan);
    case DType::uint64:
      return min_max_kernel<uint64_t, maximum>(plan);
    default:
      return nullptr;
  }
}

}  // namespace

Result<Prepared> prepare_min_max(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::broadcast_shape(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 2, {out}));
  const auto plan = BroadcastPlan::make(c.input_shape(0), c.input_shape(1), out);
  const DType type = c.input(0).dtype;
  prepared.run =
      c.op().kind == OpKind::maximum ? kernel_for<true>(type, plan) : kernel_for<false>(type, plan);
  if (!prepared.run) return c.unsupported_types();
  return prepared;
}

}  // namespace edgetwin::ops
