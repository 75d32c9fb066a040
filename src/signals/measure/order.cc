// In which order a network takes its samples, told by what it makes of one tone.
#include <cmath>
#include <numbers>

#include "signals/measure/measure.h"

namespace edgetwin::signals {
namespace {

constexpr double kTone = 0.9;  // modulus, below the end of the range
// In the other order the line has a fiftieth of the energy (N = 8) and less; rounding to bytes in
// twelve stages leaves it some tenths in its own.
constexpr double kTimes = 4.0;
constexpr double kLeast = 0.05;

// The share of line 1 when the samples of its tone are packed in this order.
Result<double> share_of_line(Tensor input, InputOrder order, const Transform& compute) {
  EDGETWIN_TRY_ASSIGN(FftPacking packing, FftPacking::create(input, order));
  std::vector<std::complex<float>> samples(packing.size() * packing.batch());
  for (size_t i = 0; i < samples.size(); ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i % packing.size()) /
                         static_cast<double>(packing.size());
    samples[i] = std::complex<float>(std::polar(kTone, angle));
  }
  packing.pack(samples, input);
  EDGETWIN_TRY_ASSIGN(const Tensor output, compute(input));
  EDGETWIN_TRY_ASSIGN(const auto spectrum, unpack(output));
  double all = 0.0;
  for (const auto& line : spectrum) all += std::norm(std::complex<double>(line));
  const size_t batches = packing.batch();
  double tone = 0.0;
  for (size_t b = 0; b < batches; ++b) {
    tone += std::norm(std::complex<double>(spectrum[b * packing.size() + 1]));
  }
  return all > 0.0 ? tone / all : 0.0;
}

}  // namespace

Result<std::optional<InputOrder>> find_order(const Tensor& input, const Transform& compute) {
  Tensor like = input;
  // Networks of the MAX7800x do not say what their integers stand for; only shares count here.
  if (!like.quant.present() && like.dtype == DType::int8) like.quant = Quant::affine(1.0F / 128, 0);
  EDGETWIN_TRY_ASSIGN(const double natural, share_of_line(like, InputOrder::natural, compute));
  EDGETWIN_TRY_ASSIGN(const double turned, share_of_line(like, InputOrder::bit_reversed, compute));
  std::optional<InputOrder> found;
  if (natural > kLeast && natural > kTimes * turned) found = InputOrder::natural;
  if (turned > kLeast && turned > kTimes * natural) found = InputOrder::bit_reversed;
  return found;
}

}  // namespace edgetwin::signals
