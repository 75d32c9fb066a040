// Loops over registers. A compiler keeps an array in registers only if every index is a constant
// before it looks at the array; its own unrolling of loops comes too late for that.
#pragma once

#include <utility>

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <int I>
struct Index {
  static constexpr int value = I;
};

template <class Body, int... I>
[[gnu::always_inline]] inline void unroll_over(std::integer_sequence<int, I...>, const Body& body) {
  (body(Index<I>{}), ...);
}

// body(Index<0>{}), body(Index<1>{}), ... body(Index<N - 1>{}).
template <int N, class Body>
[[gnu::always_inline]] inline void unroll(const Body& body) {
  unroll_over(std::make_integer_sequence<int, N>{}, body);
}

// Ahead of the body of a lambda that must not become a function of its own.
#define EDGETWIN_INLINE __attribute__((always_inline))

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
