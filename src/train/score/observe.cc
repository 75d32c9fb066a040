#include "train/score/observe.h"

#include <algorithm>
#include <cmath>

#include "train/losses/losses.h"
#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

// `factor`: what the outputs were multiplied by after their limits.
void count_limits(const Maps& outputs, float factor, ClampCounts& counts) {
  constexpr size_t kPart = 1 << 20;  // whose counts fit into the lanes of a vector
  const float low = kLow * factor, high = kHigh * factor;
  const std::span<const float> all(outputs.values);
  for (size_t first = 0; first < all.size(); first += kPart) {
    int32_t lows = 0, highs = 0;
    for (const float v : all.subspan(first, std::min(kPart, all.size() - first))) {
      lows += v == low ? 1 : 0;
      highs += v == high ? 1 : 0;
    }
    counts.low += lows;
    counts.high += highs;
  }
  counts.values += outputs.size();
}

double quotient(int64_t part, int64_t of) {
  return of == 0 ? 0 : static_cast<double>(part) / static_cast<double>(of);
}

}  // namespace

double ClassCurve::precision(size_t threshold) const {
  return quotient(own[threshold], own[threshold] + others[threshold]);
}

double ClassCurve::recall(size_t threshold) const { return quotient(own[threshold], own_items); }

void Observer::see(const Model& model, const Recording& recording,
                   std::span<const int64_t> labels) {
  if (with_clamps_) count_clamps(model, recording);
  if (with_curves_) add_curves(recording.outputs[model.network.outputs()[0]], labels);
}

void Observer::count_clamps(const Model& model, const Recording& recording) {
  const auto& layers = model.network.layers;
  clamps_.resize(layers.size());
  for (size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].spec.wide) continue;
    int exponent = 0;
    if (layers[i].spec.has_weights()) {
      const auto& quantization = recording.tapes[i].phase.quantization;
      if (quantization) exponent = quantization->final_scale;
    }
    count_limits(recording.outputs[i], std::ldexp(1.0F, exponent), clamps_[i]);
  }
}

void Observer::add_curves(const Maps& outputs, std::span<const int64_t> labels) {
  const auto classes = static_cast<size_t>(outputs.c);
  reached_.resize(classes);
  for (size_t item = 0; item < labels.size(); ++item) {
    const float* own = outputs.values.data() + item * classes;
    const double norm = log_sum_exp(own, outputs.c);
    for (size_t c = 0; c < classes; ++c) {
      const double share = exponential(static_cast<double>(own[c]) - norm);
      const auto at = static_cast<size_t>(
          std::clamp(share * (kThresholds - 1), 0.0, static_cast<double>(kThresholds - 1)));
      const bool is_own = labels[item] == static_cast<int64_t>(c);
      ++(is_own ? reached_[c].own : reached_[c].others)[at];
      ++(is_own ? reached_[c].own_items : reached_[c].other_items);
    }
  }
}

std::vector<ClassCurve> Observer::curves() const {
  std::vector<ClassCurve> result = reached_;
  for (ClassCurve& curve : result) {
    for (size_t t = kThresholds - 1; t-- > 0;) {
      curve.own[t] += curve.own[t + 1];
      curve.others[t] += curve.others[t + 1];
    }
  }
  return result;
}

}  // namespace edgetwin::train
