#include "signals/fft/reference.h"

#include <gtest/gtest.h>

#include <cmath>

#include "signals/fft/scales.h"
#include "signals/fft/theory.h"

namespace edgetwin::signals {
namespace {

TEST(FftReference, OneToneIsOneLine) {
  std::vector<Complex> x;
  for (size_t n = 0; n < 16; ++n) x.push_back(std::conj(twiddle(3 * n, 16)));
  const auto spectrum = plain_dft(x);
  for (size_t k = 0; k < 16; ++k) {
    EXPECT_NEAR(std::abs(spectrum[k]), k == 3 ? 16.0 : 0.0, 1e-13) << k;
  }
}

TEST(FftReference, FastIsPlain) {
  for (const size_t size : {1, 2, 8, 64, 512}) {
    const auto x = noise_samples(size, 1.0, 5);
    // Errors of double sums of 512 numbers stay below 2^-43: 250 dB.
    EXPECT_GT(signal_to_noise(plain_dft(x), fast_dft(x)), 250.0) << size;
  }
}

TEST(FftReference, QuartersOfATurnAreExact) {
  EXPECT_EQ(twiddle(0, 8), Complex(1.0, 0.0));
  EXPECT_EQ(twiddle(2, 8), Complex(0.0, -1.0));
  EXPECT_EQ(twiddle(12, 8), Complex(-1.0, 0.0));
  EXPECT_EQ(twiddle(6, 8), Complex(0.0, 1.0));
}

TEST(FftReference, BitsReversed) {
  EXPECT_EQ(bit_reversed(1, 3), 4U);
  EXPECT_EQ(bit_reversed(6, 3), 3U);
  EXPECT_EQ(bit_reversed(5, 0), 0U);
}

}  // namespace
}  // namespace edgetwin::signals
