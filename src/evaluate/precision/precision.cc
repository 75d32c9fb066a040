#include "evaluate/precision/precision.h"

#include <algorithm>

namespace edgetwin::evaluation {

double overlap_threshold(size_t t) {
  if (t + 1 == kThresholds) return 0.95;
  return static_cast<double>(t) * ((0.95 - 0.5) / 9) + 0.5;
}

double recall_threshold(size_t r) {
  return r + 1 == kRecalls ? 1.0 : static_cast<double>(r) * (1.0 / 100);
}

double box_overlap(const PlacedBox& own, const PlacedBox& other, bool crowd) {
  const double w = std::min(own[0] + own[2], other[0] + other[2]) - std::max(own[0], other[0]);
  const double h = std::min(own[1] + own[3], other[1] + other[3]) - std::max(own[1], other[1]);
  if (w <= 0 || h <= 0) return 0.0;
  const double both = w * h;
  const double area = own[2] * own[3];
  return both / (crowd ? area : area + other[2] * other[3] - both);
}

int64_t partner(std::span<const Candidate> candidates, double threshold,
                const std::vector<bool>& taken) {
  double best = std::min(threshold, 1 - 1e-10);
  int64_t match = -1;
  for (size_t k = 0; k < candidates.size(); ++k) {
    const Candidate& c = candidates[k];
    if (taken[k] && !c.crowd) continue;
    if (match >= 0 && !candidates[static_cast<size_t>(match)].ignored && c.ignored) break;
    if (c.overlap < best) continue;
    best = c.overlap;
    match = static_cast<int64_t>(k);
  }
  return match;
}

double precision_sum(std::span<const double> recall, std::vector<double>& precision) {
  for (size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  double sum = 0;
  auto at = recall.begin();
  for (size_t r = 0; r < kRecalls; ++r) {
    at = std::lower_bound(at, recall.end(), recall_threshold(r));
    if (at == recall.end()) break;
    sum += precision[static_cast<size_t>(at - recall.begin())];
  }
  return sum;
}

}  // namespace edgetwin::evaluation
