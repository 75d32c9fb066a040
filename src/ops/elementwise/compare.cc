// Equal, Greater, GreaterOrEqual, Less, LessOrEqual: of raw elements, to bool.
// Source: specification of ESP-DL's runtime, operators 3.
#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {
namespace {

template <class T>
bool holds(OpKind kind, T a, T b) {
  switch (kind) {
    case OpKind::equal:
      return a == b;
    case OpKind::greater:
      return a > b;
    case OpKind::greater_equal:
      return a >= b;
    case OpKind::less:
      return a < b;
    default:
      return a <= b;
  }
}

template <class T>
Kernel compare_kernel(OpKind kind, const BroadcastPlan& plan) {
  return [kind, plan](const Args& args) -> Status {
    const T* a = args.input<T>(0);
    const T* b = args.input<T>(1);
    auto* y = args.output<uint8_t>(0);
    plan.for_each_run([&](int64_t at_a, int64_t at_b, int64_t at_y, int64_t count, int64_t step_a,
                          int64_t step_b) {
      for (int64_t i = 0; i < count; ++i) {
        y[at_y + i] = holds(kind, a[at_a + i * step_a], b[at_b + i * step_b]) ? 1 : 0;
      }
    });
    return Ok{};
  };
}

}  // namespace

[[gnu::cold]] Result<Prepared> prepare_compare(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Shape shape, checks::broadcast_shape(c));
  const DType type = c.input(0).dtype;
  if (c.input(1).dtype != type || c.output(0).dtype != DType::boolean) {
    return c.unsupported_types();
  }
  const auto plan = BroadcastPlan::make(c.input_shape(0), c.input_shape(1), shape);
  Prepared prepared;
  prepared.output_shapes = {shape};
  checks::note_quantization(c, c.input(0), c.input(1), prepared, Severity::warning);
  switch (type) {
    case DType::int8:
      prepared.run = compare_kernel<int8_t>(c.op().kind, plan);
      return prepared;
    case DType::int16:
      prepared.run = compare_kernel<int16_t>(c.op().kind, plan);
      return prepared;
    case DType::float32:
      prepared.run = compare_kernel<float>(c.op().kind, plan);
      return prepared;
    default:
      return c.unsupported_types();
  }
}

}  // namespace edgetwin::ops
