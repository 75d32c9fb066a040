#include "train/losses/detections.h"

#include <algorithm>

#include "evaluate/precision/precision.h"
#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

constexpr int kBoxNumbers = 4;
constexpr double kCentreFactor = 10, kSizeFactor = 5;  // of the encoding
constexpr double kMostExponent = 50;                   // sizes stay finite

Box decoded(const float* code, const Box& prior) {
  Box corners;
  for (size_t i = 0; i < 2; ++i) {
    const auto size = static_cast<double>(prior[i + 2]);
    const double centre =
        static_cast<double>(code[i]) * size / kCentreFactor + static_cast<double>(prior[i]);
    const double exponent = static_cast<double>(code[i + 2]) / kSizeFactor;
    const double own = size * exponential(std::clamp(exponent, -kMostExponent, kMostExponent));
    corners[i] = static_cast<float>(centre - own / 2);
    corners[i + 2] = static_cast<float>(centre + own / 2);
  }
  return corners;
}

bool better(const Detection& a, const Detection& b) { return a.score > b.score; }

// The best of those of one class that lie on each other.
std::vector<Detection> apart(std::vector<Detection> found, double max_overlap) {
  std::stable_sort(found.begin(), found.end(), better);
  std::vector<Detection> kept;
  for (const Detection& d : found) {
    const bool free = std::none_of(kept.begin(), kept.end(), [&](const Detection& k) {
      return overlap_of(k.box, d.box) > max_overlap;
    });
    if (free) kept.push_back(d);
  }
  return kept;
}

}  // namespace

std::vector<Box> grid_priors(int rows, int columns, const std::vector<PriorSize>& sizes) {
  std::vector<Box> priors;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      for (const PriorSize& s : sizes) {
        priors.push_back({(static_cast<float>(x) + 0.5F) / static_cast<float>(columns),
                          (static_cast<float>(y) + 0.5F) / static_cast<float>(rows), s[0], s[1]});
      }
    }
  }
  return priors;
}

double overlap_of(const Box& a, const Box& b) {
  const auto placed = [](const Box& box) {
    const auto number = [&box](size_t i) { return static_cast<double>(box[i]); };
    return evaluation::PlacedBox{number(0), number(1), number(2) - number(0),
                                 number(3) - number(1)};
  };
  return evaluation::box_overlap(placed(a), placed(b));
}

std::vector<Detection> detections(const float* location, const float* scores, int classes,
                                  const std::vector<Box>& priors, const DetectionOptions& options) {
  std::vector<std::vector<Detection>> of_class(static_cast<size_t>(classes));
  for (size_t p = 0; p < priors.size(); ++p) {
    const float* own = scores + p * static_cast<size_t>(classes);
    const double norm = log_sum_exp(own, classes);
    for (int c = 1; c < classes; ++c) {
      const double score = exponential(static_cast<double>(own[c]) - norm);
      if (score < options.min_score) continue;
      of_class[static_cast<size_t>(c)].push_back(
          {decoded(location + p * kBoxNumbers, priors[p]), c, score});
    }
  }
  std::vector<Detection> all;
  for (auto& found : of_class) {
    const std::vector<Detection> kept = apart(std::move(found), options.max_overlap);
    all.insert(all.end(), kept.begin(), kept.end());
  }
  std::stable_sort(all.begin(), all.end(), better);
  if (all.size() > static_cast<size_t>(options.top_k)) {
    all.resize(static_cast<size_t>(options.top_k));
  }
  return all;
}

HeadOutputs split_head(const Maps& outputs, int priors_of_place) {
  const int priors = outputs.h * outputs.w * priors_of_place;
  const int numbers = outputs.c / priors_of_place;
  HeadOutputs head;
  head.location = Maps(outputs.n, priors, 1, kBoxNumbers);
  head.scores = Maps(outputs.n, priors, 1, numbers - kBoxNumbers);
  const float* in = outputs.values.data();
  float* location = head.location.values.data();
  float* scores = head.scores.values.data();
  for (int64_t p = 0; p < int64_t{outputs.n} * priors; ++p) {
    location = std::copy_n(in, kBoxNumbers, location);
    scores = std::copy(in + kBoxNumbers, in + numbers, scores);
    in += numbers;
  }
  return head;
}

Maps joined_head(const Maps& location, const Maps& scores, const Maps& outputs) {
  Maps joined(outputs.n, outputs.h, outputs.w, outputs.c);
  float* out = joined.values.data();
  for (int64_t p = 0; p < int64_t{location.n} * location.h; ++p) {
    out = std::copy_n(location.values.data() + p * kBoxNumbers, kBoxNumbers, out);
    out = std::copy_n(scores.values.data() + p * scores.c, scores.c, out);
  }
  return joined;
}

}  // namespace edgetwin::train
