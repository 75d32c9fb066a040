// A transform as a network, computed on the twin and held against a plain one in double precision.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "graph/graph.h"
#include "signals/fft/packing.h"
#include "signals/fft/reference.h"
#include "signals/fft/scales.h"

namespace edgetwin::signals {

// Of float networks against the double sum: single precision leaves an error of some 2^-24 in each
// of log2 N stages, or of one sum of 2N products; networks below this bound are wrong.
inline constexpr double kLeastFloatSnr = 110.0;

struct FftQuality {
  double snr = 0.0;      // decibels, over all frames; infinity where nothing differs
  size_t frames = 0;     // transforms
  uint64_t cut_off = 0;  // parts of samples beyond the range of the input
};

// The network of fft_network or of espdl_fft on the row `numerics` of the table of numerics.
// `samples`: whole runs of batch * N; the reference is the plain sum of the samples as they are,
// before they are rounded to the input. Errors: template_argument, and those of exec::Session.
Result<FftQuality> measure_fft(std::shared_ptr<const Graph> network, InputOrder order,
                               std::span<const Complex> samples, const std::string& numerics);

// The same of any network that is computed by `compute`: `input` has type, shape and quantization
// of its input.
Result<FftQuality> measure_transform(Tensor input, InputOrder order,
                                     std::span<const Complex> samples,
                                     const std::function<Result<Tensor>(const Tensor&)>& compute);

// A network, however it is computed.
using Transform = std::function<Result<Tensor>(const Tensor&)>;

// In which order a network takes its samples: the one in which a tone becomes a line. Nothing where
// neither does. Errors: template_argument for what is no transform, and those of `compute`.
Result<std::optional<InputOrder>> find_order(const Tensor& input, const Transform& compute);

// Samples as inputs of a network, whole runs of batch * N of them; what is left is left out. Error:
// template_argument for a network that is not a transform.
Result<std::vector<Tensor>> packed_runs(const Graph& network, InputOrder order,
                                        std::span<const Complex> samples);

// What the networks are measured with: Gaussian noise of root mean square modulus 1/4, as a
// receiver gives between stations, or three tones of moduli 1/2, 1/4 and 1/16 between the lines
// with noise of 1/512.
inline constexpr double kNoiseLevel = 0.25;
std::vector<Complex> test_noise(size_t count, uint32_t seed);
std::vector<Complex> test_tones(size_t count, uint32_t seed);

// What scales are calibrated with where no recording is given: test_noise of 500 frames, and of
// 65,536 samples at least, so that short transforms see the peaks too.
std::vector<Complex> calibration_noise(size_t size);

}  // namespace edgetwin::signals
