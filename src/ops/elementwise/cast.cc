// CAST: numbers of one type as numbers of another; scales play no part. MoveNet needs uint8 to
// float32 and float32 to int32. Source: kernel specification 7.
#include <cmath>
#include <optional>

#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {
namespace {

// A truth value in memory: a file may hold bytes other than 0 and 1, which C++ must not read as
// bool.
struct Truth {
  uint8_t byte;
};

// Integers are cut to the width of the result, as C does. Floats are truncated toward zero; where
// C leaves the result undefined (out of range, NaN) it is the nearest end of the range, and 0 for
// NaN. Anything but zero, NaN too, is true.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_same_v<From, Truth>) {
    return convert<To>(static_cast<uint8_t>(x.byte != 0));
  } else if constexpr (std::is_same_v<To, Truth>) {
    return Truth{static_cast<uint8_t>(x != From{0})};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    constexpr auto low = static_cast<From>(std::numeric_limits<To>::min());
    // A power of two for every integer type, and so exact: the first number beyond the range.
    const From beyond = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (std::isnan(x)) return 0;
    if (x <= low) return std::numeric_limits<To>::min();
    return x >= beyond ? std::numeric_limits<To>::max() : static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

// Calls fn(T{}) with the type; false for types that cannot be cast.
template <class Fn>
bool with_type(DType type, const Fn& fn) {
  switch (type) {
    case DType::float32:
      fn(float{});
      return true;
    case DType::float64:
      fn(double{});
      return true;
    case DType::int8:
      fn(int8_t{});
      return true;
    case DType::uint8:
      fn(uint8_t{});
      return true;
    case DType::int16:
      fn(int16_t{});
      return true;
    case DType::uint16:
      fn(uint16_t{});
      return true;
    case DType::int32:
      fn(int32_t{});
      return true;
    case DType::uint32:
      fn(uint32_t{});
      return true;
    case DType::int64:
      fn(int64_t{});
      return true;
    case DType::boolean:
      fn(Truth{});
      return true;
    default:
      return false;
  }
}

template <class From, class To>
Kernel cast_kernel(int64_t elements) {
  return [elements](const Args& args) -> Status {
    const From* x = args.input<From>(0);
    std::transform(x, x + elements, args.output<To>(0), convert<To, From>);
    return Ok{};
  };
}

}  // namespace

Result<Prepared> prepare_cast(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const Shape& shape = c.input_shape(0);
  EDGETWIN_TRY(checks::output_shape(c, 0, shape));
  Prepared prepared;
  prepared.output_shapes = {shape};
  with_type(c.input(0).dtype, [&]<class From>(From) {
    with_type(c.output(0).dtype,
              [&]<class To>(To) { prepared.run = cast_kernel<From, To>(shape.elements()); });
  });
  if (!prepared.run) return c.unsupported_types();
  return prepared;
}

}  // namespace edgetwin::ops
