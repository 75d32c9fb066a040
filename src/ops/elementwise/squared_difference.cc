// SQUARED_DIFFERENCE of float and 32-bit integers. The 8-bit form is not in the specification and
// is refused rather than guessed.
#include "numerics/saturate.h"
#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {
namespace {

template <class T, class Fn>
Prepared broadcast_kernel(const OpContext& c, const Shape& shape, Fn fn) {
  const BroadcastPlan plan = BroadcastPlan::make(c.input_shape(0), c.input_shape(1), shape);
  Prepared prepared;
  prepared.output_shapes = {shape};
  prepared.run = [plan, fn](const Args& args) -> Status {
    const T* a = args.input<T>(0);
    const T* b = args.input<T>(1);
    T* y = args.output<T>(0);
    plan.for_each_run([&](int64_t at_a, int64_t at_b, int64_t at_y, int64_t count, int64_t step_a,
                          int64_t step_b) {
      for (int64_t i = 0; i < count; ++i)
        y[at_y + i] = fn(a[at_a + i * step_a], b[at_b + i * step_b]);
    });
    return Ok{};
  };
  return prepared;
}

}  // namespace

Result<Prepared> prepare_squared_difference(const OpContext& c) {
  EDGETWIN_TRY(need_same_type(c, {c.input(0).dtype, c.input(1).dtype, c.output(0).dtype}));
  EDGETWIN_TRY_ASSIGN(const Shape shape, checks::broadcast_shape(c));
  switch (c.input(0).dtype) {
    case DType::float32:
      return broadcast_kernel<float>(c, shape, [](float a, float b) { return (a - b) * (a - b); });
    case DType::int32:
      return broadcast_kernel<int32_t>(c, shape, [](int32_t a, int32_t b) {
        const int32_t d = numerics::wrapping_sub(a, b);
        return numerics::wrapping_mul(d, d);
      });
    default:
      return c.unsupported_types();
  }
}

}  // namespace edgetwin::ops
