// DIV and FLOOR_DIV. Float operators are plain IEEE (a zero divisor of DIV gives an infinity);
// integer quotients are truncated by DIV and rounded toward minus infinity by FLOOR_DIV.
// Source: kernel specification 7.
#include <cmath>

#include "numerics/plain/float32.h"
#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {
namespace {

// Each gives false where there is no result: a zero divisor, or the one integer quotient that does
// not fit its type.
struct FloatDiv {
  using Element = float;
  numerics::RealRange range;
  bool operator()(float a, float b, float& y) const {
    y = numerics::float32::limit(a / b, range);
    return true;
  }
};

template <class T>
bool divisible(T a, T b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<T>::min());
}

struct IntegerDiv {
  using Element = int32_t;
  int32_t low = std::numeric_limits<int32_t>::min();
  int32_t high = std::numeric_limits<int32_t>::max();
  bool operator()(int32_t a, int32_t b, int32_t& y) const {
    if (!divisible(a, b)) return false;
    y = std::clamp(a / b, low, high);
    return true;
  }
};

template <class T>
struct FloorDiv {
  using Element = T;
  bool operator()(T a, T b, T& y) const {
    if (!divisible(a, b)) return false;
    y = a / b;
    if (a % b != 0 && (a < 0) != (b < 0)) --y;
    return true;
  }
};

template <>
struct FloorDiv<float> {
  using Element = float;
  // The quotient in double: in single precision one just below an integer could be rounded up to
  // it before the floor.
  bool operator()(float a, float b, float& y) const {
    if (b == 0.0F) return false;
    y = static_cast<float>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
    return true;
  }
};

template <class Rule>
[[gnu::cold]] Result<Prepared> divide(const OpContext& c, Rule rule) {
  using T = typename Rule::Element;
  EDGETWIN_TRY_ASSIGN(const Shape out, checks::broadcast_shape(c));
  const auto plan = BroadcastPlan::make(c.input_shape(0), c.input_shape(1), out);
  Prepared prepared;
  prepared.output_shapes = {out};
  prepared.run = [plan, rule, out, label = c.label()](const Args& args) -> Status {
    const T* a = args.input<T>(0);
    const T* b = args.input<T>(1);
    T* y = args.output<T>(0);
    int64_t failed = -1;
    plan.for_each_run([&](int64_t ia, int64_t ib, int64_t iy, int64_t n, int64_t sa, int64_t sb) {
      for (int64_t i = 0; i < n && failed < 0; ++i) {
        if (!rule(a[ia + i * sa], b[ib + i * sb], y[iy + i])) failed = iy + i;
      }
    });
    if (failed < 0) return Ok{};
    return Error(ErrorCode::op_data,
                 "element " + index_text(out, failed) + " divides by zero or overflows")
        .in_layer(label);
  };
  return prepared;
}

int32_t integer_limit(float v, int32_t unlimited) {
  return std::isfinite(v) ? static_cast<int32_t>(v) : unlimited;
}

// Both inputs and the output have one type.
Status check_types(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  return need_same_type(c, {c.input(0).dtype, c.input(1).dtype, c.output(0).dtype});
}

}  // namespace

Result<Prepared> prepare_div(const OpContext& c) {
  EDGETWIN_TRY(check_types(c));
  const Activation activation = c.op().as<BinaryAttrs>().activation;
  EDGETWIN_TRY(check_activation(c, activation));
  const numerics::RealRange range = real_range(activation);
  switch (c.input(0).dtype) {
    case DType::float32:
      return divide(c, FloatDiv{range});
    case DType::int32:
      return divide(c, IntegerDiv{integer_limit(range.low, std::numeric_limits<int32_t>::min()),
                                  integer_limit(range.high, std::numeric_limits<int32_t>::max())});
    default:
      return c.unsupported_types();
  }
}

Result<Prepared> prepare_floor_div(const OpContext& c) {
  EDGETWIN_TRY(check_types(c));
  switch (c.input(0).dtype) {
    case DType::float32:
      return divide(c, FloorDiv<float>{});
    case DType::int32:
      return divide(c, FloorDiv<int32_t>{});
    case DType::int64:
      return divide(c, FloorDiv<int64_t>{});
    default:
      return c.unsupported_types();
  }
}

}  // namespace edgetwin::ops
