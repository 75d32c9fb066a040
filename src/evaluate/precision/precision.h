// Matching and averaging as the reference program of COCO does it. pycocotools, cocoeval.py:
// evaluateImg, accumulate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace edgetwin::evaluation {

inline constexpr size_t kThresholds = 10;  // of overlaps
inline constexpr size_t kRecalls = 101;

// 0.5 to 0.95 in steps of 0.05, as numpy.linspace rounds them.
double overlap_threshold(size_t t);
// 0 to 1 in steps of 0.01, likewise.
double recall_threshold(size_t r);

// Left, top, width, height.
using PlacedBox = std::array<double, 4>;
// Common area over the area of both; of a crowd over that of `own`.
double box_overlap(const PlacedBox& own, const PlacedBox& other, bool crowd = false);

// A true object, in the order in which they are tried: those that do not count come last.
struct Candidate {
  double overlap = 0;  // with the found object
  bool ignored = false, crowd = false;
};
// The candidate that a found object is, or -1: the one of the largest overlap that is not taken (a
// crowd always may), of equal ones the later; one that does not count only where no other fits.
int64_t partner(std::span<const Candidate> candidates, double threshold,
                const std::vector<bool>& taken);

// Sum over the recall thresholds of the largest precision at that recall or beyond; both grow with
// the found objects, the best first. `precision` is changed.
double precision_sum(std::span<const double> recall, std::vector<double>& precision);

}  // namespace edgetwin::evaluation
