#include "signals/fft/reference.h"

#include <bit>
#include <cmath>
#include <numbers>

namespace edgetwin::signals {

Complex twiddle(size_t index, size_t size) {
  const size_t turn = index % size;
  // The eighth of a turn is computed, the rest follows from it: equal numbers are equal bits.
  if (turn * 4 % size == 0) {
    constexpr Complex kQuarters[] = {{1.0, 0.0}, {0.0, -1.0}, {-1.0, 0.0}, {0.0, 1.0}};
    return kQuarters[turn * 4 / size];
  }
  const double angle =
      2.0 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(size);
  return {std::cos(angle), -std::sin(angle)};
}

std::vector<Complex> plain_dft(std::span<const Complex> x) {
  const size_t n = x.size();
  std::vector<Complex> turns(n), result(n);
  for (size_t i = 0; i < n; ++i) turns[i] = twiddle(i, n);
  for (size_t k = 0; k < n; ++k) {
    Complex sum = 0.0;
    size_t turn = 0;
    for (size_t i = 0; i < n; ++i) {
      sum += x[i] * turns[turn];
      turn += k;
      if (turn >= n) turn -= n;
    }
    result[k] = sum;
  }
  return result;
}

size_t bit_reversed(size_t index, int bits) {
  size_t reversed = 0;
  for (int i = 0; i < bits; ++i) reversed |= (index >> i & 1) << (bits - 1 - i);
  return reversed;
}

std::vector<Complex> fast_dft(std::span<const Complex> x, const StageObserver& after_stage) {
  const size_t n = x.size();
  const int stages = std::countr_zero(n);
  std::vector<Complex> now(n), turned(n / 2);
  for (size_t i = 0; i < n; ++i) now[i] = x[bit_reversed(i, stages)];
  for (int stage = 1; stage <= stages; ++stage) {
    const size_t block = size_t{1} << stage, half = block / 2;
    for (size_t start = 0; start < n; start += block) {
      for (size_t k = 0; k < half; ++k) {
        const Complex t = now[start + half + k] * twiddle(k, block);
        turned[start / 2 + k] = t;
        now[start + half + k] = now[start + k] - t;
        now[start + k] += t;
      }
    }
    if (after_stage) after_stage(stage, turned, now);
  }
  return now;
}

}  // namespace edgetwin::signals
