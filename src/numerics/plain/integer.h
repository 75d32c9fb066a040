// Integers that stand for themselves (shapes, indices, counters): two's complement arithmetic
// without scale, the same in all numerics.
#pragma once

#include <type_traits>

#include "numerics/rules.h"

namespace edgetwin::numerics::integer {

template <class T>
struct Binary {
  using Element = T;
  BinaryKind kind{};
  T low = std::numeric_limits<T>::min();
  T high = std::numeric_limits<T>::max();

  static Result<Binary> make(const BinarySpec& spec) {
    Binary rule;
    rule.kind = spec.kind;
    if (spec.range.low > static_cast<float>(rule.low)) rule.low = static_cast<T>(spec.range.low);
    if (spec.range.high < static_cast<float>(rule.high))
      rule.high = static_cast<T>(spec.range.high);
    return rule;
  }
  T operator()(T a, T b) const {
    using U = std::make_unsigned_t<T>;
    const auto x = static_cast<U>(a);
    const auto y = static_cast<U>(b);
    const auto r = static_cast<T>(kind == BinaryKind::add   ? x + y
                                  : kind == BinaryKind::sub ? x - y
                                                            : x * y);
    return r < low ? low : (r > high ? high : r);
  }
};

}  // namespace edgetwin::numerics::integer
