// What rounding alone lets one expect of a quantized transform. docs/signals.md derives it.
#pragma once

#include "signals/fft/options.h"
#include "signals/fft/scales.h"

namespace edgetwin::signals {

// Signal to noise in decibels for an input of independent Gaussian numbers of this root mean square
// modulus, rounded to the input's integers; the noise is the difference to the exact transform of
// the numbers before they were rounded. Numbers that leave their range are not part of it.
double expected_snr(const FftOptions& options, const FftReach& reach, double root_mean_square);

// 10 log10 of the power of `exact` over that of the difference; infinity where they are equal.
double signal_to_noise(std::span<const Complex> exact, std::span<const Complex> got);

}  // namespace edgetwin::signals
