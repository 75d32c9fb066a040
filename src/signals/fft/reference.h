// Fourier transforms in double precision: what the networks are compared with.
// X[k] = sum over n of x[n] * exp(-2 pi i k n / N), without a factor.
#pragma once

#include <complex>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace edgetwin::signals {

using Complex = std::complex<double>;

// exp(-2 pi i index / size), exact at the multiples of a quarter turn. `index` may be any number.
Complex twiddle(size_t index, size_t size);

// The sum as it is written, of any size.
std::vector<Complex> plain_dft(std::span<const Complex> x);

// Where element `index` of 2^bits stands when the bits of its number are read backwards.
size_t bit_reversed(size_t index, int bits);

// Radix two, decimation in time, in the order of the butterfly network. The size must be a power of
// two. `after_stage` (may be null) sees, from stage 1 on, the odd halves after their multiplication
// and the result of the stage.
using StageObserver = std::function<void(int stage, std::span<const Complex> turned,
                                         std::span<const Complex> result)>;
std::vector<Complex> fast_dft(std::span<const Complex> x,
                              const StageObserver& after_stage = nullptr);

}  // namespace edgetwin::signals
