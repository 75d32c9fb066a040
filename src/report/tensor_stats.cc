#include "report/tensor_stats.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::report {
namespace {

// First pass: extremes and mean.
void measure(const Tensor& t, TensorStats& s) {
  double sum = 0.0;
  bool first = true;
  for (int64_t i = 0; i < s.elements; ++i) {
    const double v = element_as_double(t.dtype, t.data, i);
    if (!std::isfinite(v)) {
      ++s.not_finite;
      continue;
    }
    s.min = first ? v : std::min(s.min, v);
    s.max = first ? v : std::max(s.max, v);
    first = false;
    sum += v;
  }
  const int64_t finite = s.elements - s.not_finite;
  s.mean = finite > 0 ? sum / static_cast<double>(finite) : 0.0;
}

// Second pass, once the range is known.
void sort_into_bins(const Tensor& t, TensorStats& s) {
  s.histogram.assign(TensorStats::kBins, 0);
  const double range = s.histogram_high - s.histogram_low;
  const double scale = range > 0.0 ? TensorStats::kBins / range : 0.0;
  for (int64_t i = 0; i < s.elements; ++i) {
    const double v = element_as_double(t.dtype, t.data, i);
    if (!std::isfinite(v)) continue;
    const double at = (v - s.histogram_low) * scale;
    ++s.histogram[static_cast<size_t>(std::clamp(at, 0.0, TensorStats::kBins - 1.0))];
  }
}

void count_saturated(const Tensor& t, const IntegerRange& range, TensorStats& s) {
  s.at_low = s.at_high = 0;
  const auto low = static_cast<double>(range.low);
  const auto high = static_cast<double>(range.high);
  for (int64_t i = 0; i < s.elements; ++i) {
    const double v = element_as_double(t.dtype, t.data, i);
    s.at_low += v == low ? 1 : 0;
    s.at_high += v == high ? 1 : 0;
  }
}

}  // namespace

TensorStats tensor_stats(const Tensor& tensor) {
  TensorStats s;
  if (bits(tensor.dtype) < 8) return s;
  s.elements = tensor.shape.elements();
  measure(tensor, s);
  s.histogram_low = s.min;
  s.histogram_high = s.max;
  const auto range = integer_range(tensor.dtype);
  if (range && bits(tensor.dtype) == 8) {
    s.histogram_low = static_cast<double>(range->low);
    s.histogram_high = static_cast<double>(range->high) + 1.0;
  }
  sort_into_bins(tensor, s);
  if (range && bits(tensor.dtype) <= 16 && tensor.quant.present()) {
    count_saturated(tensor, *range, s);
  }
  return s;
}

double saturated_share(const TensorStats& s) {
  if (s.at_low < 0 || s.elements == 0) return 0.0;
  return static_cast<double>(s.at_low + s.at_high) / static_cast<double>(s.elements);
}

Json to_json(const TensorStats& s, bool with_histogram) {
  Json j = Json::object();
  j.set("elements", s.elements).set("min", s.min).set("max", s.max).set("mean", s.mean);
  j.set("not_finite", s.not_finite);
  if (s.at_low >= 0) j.set("at_low", s.at_low).set("at_high", s.at_high);
  if (!with_histogram) return j;
  j.set("histogram_low", s.histogram_low).set("histogram_high", s.histogram_high);
  return j.set("histogram", Json::list(s.histogram));
}

}  // namespace edgetwin::report
