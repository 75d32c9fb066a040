// The activation threshold of a layer's output by the vendor's method of October 2024: a histogram
// of several batches, then the power of two with the smallest quantization error. Specification:
// training, 6.
#pragma once

#include <span>
#include <vector>

namespace edgetwin::train {

struct Threshold {
  std::vector<float> edges;    // 2049, between the extremes of all batches
  std::vector<double> counts;  // count k belongs to the interval that ends at edge k
  std::vector<float> kept;     // edges of intervals that are no outliers
  float first = 0;             // the power of two at or above the largest of them
  std::vector<double> errors;  // of first, first / 2, ..., first / 16
  float logarithm = 0;         // of the best, to base 2
};

// Of the outputs in one batch.
struct BatchHistogram {
  float low = 0, high = 0;
  std::vector<double> below;  // values below each of 2049 edges between the extremes
};

// `values` must not be empty.
BatchHistogram histogram_of(std::span<const float> values);

// Of all batches, at least one. Values farther than `z_score` standard deviations from the mean are
// dropped.
Threshold activation_threshold(std::span<const BatchHistogram> batches, float z_score);

}  // namespace edgetwin::train
