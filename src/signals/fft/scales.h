// How far the numbers of a quantized transform reach, stage by stage.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "signals/fft/options.h"
#include "signals/fft/reference.h"
#include "tensor/quant.h"

namespace edgetwin::signals {

// The real number that 2^(bits - 1) steps stand for.
struct FftReach {
  std::vector<double> stage;  // [0] of the input, [k] of the result of stage k
  std::vector<double>
      turned;  // [k] of the odd halves of stage k after their multiplication; [0]: 0

  double input() const { return stage.front(); }
  double output() const { return stage.back(); }
};

// By formula; `options.scaling` is worst or noise. An input of modulus 1 fills its range.
FftReach fft_reach(const FftOptions& options);
// The largest real or imaginary part that samples have anywhere is the largest integer there.
// `samples`: frames of options.size numbers, at least one, all finite. Errors: template_argument
// where there is no whole frame or where all are zero.
Result<FftReach> calibrated_reach(const FftOptions& options, std::span<const Complex> samples);

// Of activations of this kind of integers; nothing for float32.
Quant quant_of(FftNumber number, double reach);
int bits_of(FftNumber number);  // 8 or 16; 0 for float32

// What takes the place of recorded samples: `frames` of Gaussian noise of this root mean square
// modulus, the same on every machine for a seed.
std::vector<Complex> noise_samples(size_t count, double root_mean_square, uint32_t seed);

}  // namespace edgetwin::signals
