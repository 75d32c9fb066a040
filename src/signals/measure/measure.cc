#include "signals/measure/measure.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "exec/session.h"
#include "signals/fft/theory.h"

namespace edgetwin::signals {
namespace {

constexpr uint32_t kCalibrationSeed = 1;
constexpr size_t kCalibrationFrames = 500, kCalibrationSamples = 65536;

Result<Tensor> empty_input(const Graph& network) {
  const Value& v = network.value(network.inputs.front());
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(v.dtype, v.shape));
  t.name = v.name;
  t.quant = v.quant;
  return t;
}

}  // namespace

Result<std::vector<Tensor>> packed_runs(const Graph& network, InputOrder order,
                                        std::span<const Complex> samples) {
  EDGETWIN_TRY_ASSIGN(Tensor input, empty_input(network));
  EDGETWIN_TRY_ASSIGN(FftPacking packing, FftPacking::create(input, order));
  const size_t of_run = packing.size() * packing.batch();
  std::vector<Tensor> runs;
  std::vector<std::complex<float>> run(of_run);
  for (size_t start = 0; start + of_run <= samples.size(); start += of_run) {
    for (size_t i = 0; i < of_run; ++i) run[i] = std::complex<float>(samples[start + i]);
    packing.pack(run, input);
    runs.push_back(input);
  }
  return runs;
}

Result<FftQuality> measure_transform(Tensor input, InputOrder order,
                                     std::span<const Complex> samples,
                                     const std::function<Result<Tensor>(const Tensor&)>& compute) {
  EDGETWIN_TRY_ASSIGN(FftPacking packing, FftPacking::create(input, order));
  const size_t size = packing.size(), of_run = size * packing.batch();
  std::vector<Complex> exact, got;
  std::vector<std::complex<float>> run(of_run);
  for (size_t start = 0; start + of_run <= samples.size(); start += of_run) {
    for (size_t i = 0; i < of_run; ++i) run[i] = std::complex<float>(samples[start + i]);
    packing.pack(run, input);
    EDGETWIN_TRY_ASSIGN(const Tensor output, compute(input));
    EDGETWIN_TRY_ASSIGN(const auto spectrum, unpack(output));
    got.insert(got.end(), spectrum.begin(), spectrum.end());
    for (size_t b = 0; b < packing.batch(); ++b) {
      const auto frame = plain_dft(samples.subspan(start + b * size, size));
      exact.insert(exact.end(), frame.begin(), frame.end());
    }
  }
  return FftQuality{signal_to_noise(exact, got), got.size() / size, packing.cut_off()};
}

Result<FftQuality> measure_fft(std::shared_ptr<const Graph> network, InputOrder order,
                               std::span<const Complex> samples, const std::string& numerics) {
  EDGETWIN_TRY_ASSIGN(Tensor input, empty_input(*network));
  EDGETWIN_TRY_ASSIGN(exec::Session session,
                      exec::Session::create(std::move(network), {.numerics = numerics}));
  return measure_transform(std::move(input), order, samples,
                           [&session](const Tensor& in) -> Result<Tensor> {
                             EDGETWIN_TRY(session.set_input(0, in.data));
                             EDGETWIN_TRY(session.run());
                             return session.output(0);
                           });
}

std::vector<Complex> test_noise(size_t count, uint32_t seed) {
  return noise_samples(count, kNoiseLevel, seed);
}

std::vector<Complex> test_tones(size_t count, uint32_t seed) {
  struct Tone {
    double modulus, turns;  // turns per sample
  };
  constexpr Tone kTones[] = {{0.5, 0.137}, {0.25, -0.291}, {0.0625, 0.4123}};
  auto samples = noise_samples(count, 1.0 / 512.0, seed);
  for (size_t i = 0; i < count; ++i) {
    for (const Tone& tone : kTones) {
      const double angle = 2.0 * std::numbers::pi * tone.turns * static_cast<double>(i);
      samples[i] += std::polar(tone.modulus, angle);
    }
  }
  return samples;
}

std::vector<Complex> calibration_noise(size_t size) {
  const size_t frames = std::max(kCalibrationFrames, kCalibrationSamples / size);
  return test_noise(frames * size, kCalibrationSeed);
}

}  // namespace edgetwin::signals
