#include "targets/max78/convert/scale/calibration.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace edgetwin::max78 {

using quantize::Method;
using quantize::RangeStatistics;

std::vector<float> values_of(const DraftTensor& tensor, const exec::Session& session) {
  const ByteSpan bytes = session.bytes(tensor.value);
  std::vector<float> v(bytes.size() / sizeof(float));
  std::memcpy(v.data(), bytes.data(), v.size() * sizeof(float));
  if (tensor.rectify) {
    for (float& x : v) x = std::max(x, 0.0F);
  }
  return as_folded(tensor, std::move(v));
}

Status Calibration::run(const std::shared_ptr<const Graph>& graph, const ProgressSink& progress) {
  quantize::Runs runs;
  runs.threads = settings_.threads;
  runs.progress = progress;
  runs.what = "float runs";
  const bool histograms = quantize::histogram_bins(settings_.method, 8) > 0;
  runs.to = histograms ? 0.5 : 1.0;
  EDGETWIN_TRY(quantize::run_samples(
      graph, samples_, runs, [&](size_t i, const auto& session) { return take(i, session); }));
  if (!histograms) return Ok{};
  prepare_histograms();
  runs.threads = 1;  // the counts of all samples go into one histogram
  runs.from = 0.5;
  runs.to = 1.0;
  return quantize::run_samples(graph, samples_, runs, [&](size_t, const auto& session) {
    for (size_t t = 0; t < all_.size(); ++t) {
      if (d_.tensors[t].value == kAbsent) continue;
      all_[t].histogram->take(values_of(d_.tensors[t], session), 1);
    }
    return Status(Ok{});
  });
}

std::optional<int> Calibration::exponent(size_t t) const {
  const Statistics& s = all_[t];
  if (d_.tensors[t].value == kAbsent) return std::nullopt;
  quantize::Range r;
  switch (settings_.method) {
    case Method::minmax:
      r = quantize::minmax_range(s.runs, 8);
      break;
    // The mean over the runs, which the method has elsewhere, clips what few values of one run
    // reach; here the widest run counts.
    case Method::percentile:
      for (const RangeStatistics& run : s.runs) {
        r.low = std::min(r.low, run.low_percentile);
        r.high = std::max(r.high, run.high_percentile);
      }
      break;
    case Method::kl:
      r = quantize::kl_range(*s.histogram, 8);
      break;
    case Method::mse:
      r = quantize::mse_range(*s.histogram, 8);
      break;
  }
  const float most = std::max(r.high, -r.low);
  if (most == 0.0F) return std::nullopt;
  if (settings_.method == Method::kl) return r.exponent + 7;
  // A range that ends at a power of two loses one step at its end, not one bit everywhere.
  return static_cast<int>(std::ceil(std::log2(static_cast<double>(most))));
}

double Calibration::most(size_t t) const {
  double value = 0.0;
  for (const RangeStatistics& s : all_[t].runs) {
    value = std::max({value, static_cast<double>(s.high), static_cast<double>(-s.low)});
  }
  return value;
}

Channel Calibration::channel(size_t t, size_t c) const {
  Channel sum;
  for (const auto& run : all_[t].channels) {
    if (c >= run.size()) continue;
    sum.sum += run[c].sum;
    sum.power += run[c].power;
  }
  const auto n = static_cast<double>(all_[t].pixels) * static_cast<double>(samples_.size());
  if (n > 0) return {sum.sum / n, sum.power / n};
  return sum;
}

Status Calibration::take(size_t i, const exec::Session& session) {
  for (size_t t = 0; t < all_.size(); ++t) {
    const DraftTensor& tensor = d_.tensors[t];
    if (tensor.value == kAbsent) continue;
    const std::vector<float> v = values_of(tensor, session);
    Statistics& s = all_[t];
    s.runs[i] = quantize::observe(v, settings_.method == Method::percentile);
    if (!s.runs[i].finite) {
      return Error(ErrorCode::quant_not_finite,
                   "sample " + std::to_string(i) + " gives a value that is not finite")
          .in_field(session.graph().value(tensor.value).name);
    }
    const auto channels = static_cast<size_t>(tensor.channels);
    const size_t pixels = v.size() / channels;
    if (i == 0) s.pixels = static_cast<int64_t>(pixels);
    s.channels[i].resize(channels);
    for (size_t c = 0; c < channels; ++c) {
      for (size_t p = 0; p < pixels; ++p) {
        const double x = v[c * pixels + p];
        s.channels[i][c].sum += x;
        s.channels[i][c].power += x * x;
      }
    }
  }
  return Ok{};
}

void Calibration::prepare_histograms() {
  const int bins = quantize::histogram_bins(settings_.method, 8);
  for (Statistics& s : all_) {
    float most = 0.0F;
    for (const RangeStatistics& r : s.runs) most = std::max({most, r.high, -r.low});
    s.histogram.emplace(bins, most);
  }
}

}  // namespace edgetwin::max78
