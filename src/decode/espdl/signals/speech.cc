#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "decode/espdl/signals/signals.h"

namespace edgetwin::espdl_decode {
namespace {

constexpr size_t kFrame = 400, kStep = 160, kFft = 512, kBands = 80;
constexpr double kRate = 16000.0, kLowest = 20.0, kHighest = 8000.0;
constexpr double kEmphasis = 0.97;
constexpr double kLeastPower = 1.1920929e-7;
constexpr int kMostFrames = 1 << 14;

double mel(double hertz) { return 1127.0 * std::log(1.0 + hertz / 700.0); }

// In place, of a power of two.
void transform(std::vector<std::complex<double>>& x) {
  const size_t n = x.size();
  for (size_t i = 1, j = 0; i < n; ++i) {
    size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (size_t length = 2; length <= n; length <<= 1) {
    for (size_t k = 0; k < length / 2; ++k) {
      const std::complex<double> turn = std::polar(
          1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
      for (size_t i = k; i < n; i += length) {
        const std::complex<double> odd = x[i + length / 2] * turn;
        x[i + length / 2] = x[i] - odd;
        x[i] += odd;
      }
    }
  }
}

// Weights of the bins 1 to 256 in each band: triangles over the mel scale.
std::vector<std::vector<double>> mel_bands() {
  const double low = mel(kLowest);
  const double step = (mel(kHighest) - low) / static_cast<double>(kBands + 1);
  std::vector<std::vector<double>> bands(kBands, std::vector<double>(kFft / 2 + 1, 0.0));
  for (size_t band = 0; band < kBands; ++band) {
    const double left = low + static_cast<double>(band) * step;
    for (size_t bin = 1; bin <= kFft / 2; ++bin) {
      const double at = mel(static_cast<double>(bin) * kRate / static_cast<double>(kFft));
      bands[band][bin] = std::max(0.0, std::min((at - left) / step, (left + 2 * step - at) / step));
    }
  }
  return bands;
}

// Mean removed, emphasized, windowed and transformed: the power of each bin.
std::vector<double> frame_power(std::span<const double> samples) {
  std::vector<double> frame(samples.begin(), samples.end());
  double mean = 0.0;
  for (const double v : frame) mean += v;
  mean /= static_cast<double>(frame.size());
  for (double& v : frame) v -= mean;
  for (size_t i = frame.size(); i-- > 0;) frame[i] -= kEmphasis * frame[i > 0 ? i - 1 : 0];
  std::vector<std::complex<double>> spectrum(kFft);
  for (size_t i = 0; i < frame.size(); ++i) {
    const double window = 0.54 - 0.46 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) /
                                                 static_cast<double>(kFrame - 1));
    spectrum[i] = frame[i] * window;
  }
  transform(spectrum);
  std::vector<double> power(kFft / 2 + 1);
  for (size_t i = 0; i < power.size(); ++i) power[i] = std::norm(spectrum[i]);
  return power;
}

// The window of the network: the middle of a longer recording, zeros after a shorter one.
Result<std::vector<double>> window_of(const Tensor& samples, size_t frames) {
  const bool integers = samples.dtype == DType::int16;
  if ((!integers && samples.dtype != DType::float32) || samples.shape.rank() != 1) {
    return Error(ErrorCode::decode_maps, "the samples are " + to_string(samples.shape) + " " +
                                             std::string(name(samples.dtype)) +
                                             ", not a row of int16 or float32");
  }
  const auto count = static_cast<size_t>(samples.shape[0]);
  const size_t needed = (frames - 1) * kStep + kFrame;
  const size_t start = count > needed ? (count - needed) / 2 : 0;
  std::vector<double> window(needed, 0.0);
  for (size_t i = 0; i < needed && start + i < count; ++i) {
    window[i] = integers ? samples.as<int16_t>()[start + i] / 32768.0
                         : static_cast<double>(samples.as<float>()[start + i]);
  }
  return window;
}

int16_t quantized(float v, float reciprocal_scale, numerics::Rounding rounding) {
  const float q = numerics::round_float(v * reciprocal_scale, rounding);
  if (std::isnan(q)) return 0;
  return static_cast<int16_t>(std::clamp(q, -32768.0F, 32767.0F));
}

}  // namespace

Result<Decoded> speech_features(const Tensor& samples, const Params& params) {
  if (!params.frames || *params.frames > kMostFrames) {
    return Error(ErrorCode::bad_value,
                 "'frames' is missing or above " + std::to_string(kMostFrames))
        .in_field("frames")
        .with_hint("Give the number of frames of the network's input: 300 or 600.");
  }
  const auto frames = static_cast<size_t>(*params.frames);
  EDGETWIN_TRY_ASSIGN(const std::vector<double> window, window_of(samples, frames));
  const Shape shape = {*params.frames, static_cast<int64_t>(kBands)};
  EDGETWIN_TRY_ASSIGN(Tensor fbank, Tensor::zeros(DType::float32, shape));
  EDGETWIN_TRY_ASSIGN(Tensor feature, Tensor::zeros(DType::float32, shape));
  EDGETWIN_TRY_ASSIGN(Tensor integers, Tensor::zeros(DType::int16, shape));
  fbank.name = "fbank", feature.name = "feature", integers.name = "quantized";
  const std::vector<std::vector<double>> bands = mel_bands();
  std::vector<double> logs(frames * kBands);
  std::vector<double> means(kBands, 0.0);
  for (size_t f = 0; f < frames; ++f) {
    const std::vector<double> power = frame_power(std::span(window).subspan(f * kStep, kFrame));
    for (size_t band = 0; band < kBands; ++band) {
      double sum = 0.0;
      for (size_t bin = 1; bin < power.size(); ++bin) sum += bands[band][bin] * power[bin];
      logs[f * kBands + band] = std::log(std::max(sum, kLeastPower));
      means[band] += logs[f * kBands + band] / static_cast<double>(frames);
    }
  }
  const float reciprocal_scale = std::ldexp(1.0F, -params.exponent.value_or(-11));
  for (size_t i = 0; i < logs.size(); ++i) {
    fbank.as<float>()[i] = static_cast<float>(logs[i]);
    feature.as<float>()[i] = static_cast<float>(logs[i] - means[i % kBands]);
    integers.as<int16_t>()[i] =
        quantized(feature.as<float>()[i], reciprocal_scale, params.rounding());
  }
  Decoded decoded;
  decoded.arrays = {std::move(fbank), std::move(feature), std::move(integers)};
  return decoded;
}

}  // namespace edgetwin::espdl_decode
