#include "signals/max78/max78_fft.h"

#include <cmath>

#include "formats/onnx/import/onnx.h"
#include "signals/measure/costs.h"
#include "signals/measure/espdl.h"
#include "signals/measure/measure.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/convert/convert.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::signals {
namespace {

constexpr int kLargest = 512;                     // 2N channels: 1,024 is what the chips count
constexpr int kMax78000Most = 256;                // its kernels take no more
constexpr double kClock = 50e6, kStart = 6.7e-6;  // docs/signals.md

std::vector<quantize::Sample> calibration_of(std::vector<Tensor> runs, size_t most) {
  std::vector<quantize::Sample> samples;
  for (size_t i = 0; i < runs.size() && i < most; ++i) samples.push_back({std::move(runs[i])});
  return samples;
}

Result<max78::Conversion> converted(const Graph& network, ai8x::Device device,
                                    const std::vector<quantize::Sample>& samples) {
  max78::ConvertSettings settings;
  settings.device = device;
  settings.name = "fft";
  settings.method = quantize::Method::minmax;
  EDGETWIN_TRY_ASSIGN(auto made, max78::convert(network, samples, settings));
  if (!made.misfits.empty()) return made.misfits.front();
  return std::move(*made.conversion);
}

}  // namespace

Result<Max78Fft> max78_fft(int size, ai8x::Device device) {
  FftOptions o{size, 1, FftForm::matrix, FftScaling::worst, FftNumber::float32};
  o.flat = true;
  const auto n = static_cast<size_t>(size);
  EDGETWIN_TRY_ASSIGN(const Bytes file, onnx_fft(o));
  EDGETWIN_TRY_ASSIGN(const Model model, onnx::read(file, "fft.onnx"));
  const Graph& network = model.main();
  EDGETWIN_TRY_ASSIGN(auto seen, packed_runs(network, InputOrder::natural, calibration_noise(n)));
  EDGETWIN_TRY_ASSIGN(auto tried, packed_runs(network, InputOrder::natural, test_noise(8 * n, 7)));
  EDGETWIN_TRY_ASSIGN(const max78::Conversion conversion,
                      converted(network, device, calibration_of(std::move(seen), 500)));
  EDGETWIN_TRY_ASSIGN(const auto noise,
                      max78::measure(conversion, network, calibration_of(std::move(tried), 8), 1));
  const max78::DraftTensor& in = conversion.draft.tensor(0);
  const auto planned =
      max78::make_plan(conversion.network, conversion.parameters, {in.channels, in.h, in.w}, {});
  if (planned.plan() == nullptr) {
    return error_of(planned.findings.back(), ErrorCode::max78_rules);
  }
  const max78::Statistics cost = max78::statistics(*planned.plan());
  return Max78Fft{-10.0 * std::log10(noise.analysis.output_noise), cost.operations.macc,
                  cost.weight_bytes, cost.weight_bytes_total, cost.cycles};
}

Result<std::string> max78_fft_table() {
  std::string text = table_head({"N", "chip", "signal to noise, dB", "products", "kernels, bytes",
                                 "of the chip's", "cycles", "ms"});
  for (int size = kLeastFft; size <= kLargest; size *= 2) {
    const bool small = size <= kMax78000Most;
    EDGETWIN_TRY_ASSIGN(const Max78Fft made,
                        max78_fft(size, small ? ai8x::Device::max78000 : ai8x::Device::max78002));
    const double seconds = static_cast<double>(made.cycles) / kClock + kStart;
    text += table_line(
        {std::to_string(size), small ? "MAX78000" : "MAX78002", decimals(made.snr, 1),
         std::to_string(made.products), std::to_string(made.weight_bytes),
         std::to_string(made.weight_bytes_of_chip), small ? std::to_string(made.cycles) : "–",
         small ? decimals(1e3 * seconds, 3) : "–"});
  }
  return text;
}

}  // namespace edgetwin::signals
