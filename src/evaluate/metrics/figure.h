// Figures with their count and 95 % interval. docs/evaluate.md, "Intervals".
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/json/json.h"

namespace edgetwin::evaluation {

struct Figure {
  bool known = false;  // false: there is nothing to judge
  double value = 0.0, low = 0.0, high = 0.0;
  int64_t count = 0;  // of what it is a mean or a share
};

// A share of counts, with Wilson's score interval.
Figure share(int64_t right, int64_t count);
// A mean, with 1.96 standard errors to both sides.
Figure mean_of(std::span<const double> values);
// Intervals by resampling: what `of` gives for the weights of samples, all 1 and then for
// kResamples draws of as many samples; percentiles 2.5 and 97.5. A value that is not finite is not
// known.
inline constexpr int kResamples = 200;
using Weights = std::vector<uint32_t>;
std::vector<Figure> resampled(size_t samples,
                              const std::function<std::vector<double>(const Weights&)>& of);

// {"value", "count", "low", "high"}; null where nothing is known.
Json to_json(const Figure& figure);
// {"right", "count", "value", "low", "high"}
Json share_json(int64_t right, int64_t count);

}  // namespace edgetwin::evaluation
