// What one sample contributes under one network: integers only, so that parts of an evaluation
// can be put together in any order without a rounding. Real numbers stand as the bits of a double.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/result.h"
#include "evaluate/data/sample_set.h"
#include "evaluate/precision/precision.h"

namespace edgetwin::evaluation {

using Row = std::vector<int64_t>;
using Rows = std::vector<const Row*>;  // of samples in order, without broken ones

inline int64_t bits_of(double v) { return std::bit_cast<int64_t>(v); }
inline double real_of(int64_t bits) { return std::bit_cast<double>(bits); }

// Classification: label, rank of the label (classes before it; ties by lower index), confidence of
// the best class in 2^-40 (-1: outputs are no shares), how many best classes follow, these.
inline constexpr size_t kBest = 5;
inline constexpr int kConfidenceBits = 40;
// `scores`: one for each class.
Row classify_row(int64_t label, std::span<const double> scores, bool shares);

// Detection and key points: how many found objects and groups follow; of each found object its
// category, the bits of its score, and for each range of areas its matches at the ten thresholds
// (bits 0 to 9) and whether it is ignored there (bits 10 to 19); of each category with true
// objects the category and how many count for each range.
struct FoundObject {
  int64_t category = 0;
  double score = 0.0;
  std::array<double, 4> box{};  // left, top, width, height
  double area = 0.0;
  std::vector<double> keypoints;  // x, y of each
};
Row detect_row(std::span<const TrueObject> truth, std::vector<FoundObject> found, bool keypoints);
inline size_t area_count(Task task) { return task == Task::keypoints ? 3 : 4; }

// Segmentation: how many triples follow; true class, found class, pixels. Pixels of the true class
// 255 are not judged.
Row segment_row(std::span<const uint8_t> found, std::span<const uint8_t> truth);

// Regression: how many numbers; bits of what was found, bits of what is true, alternately.
Row regress_row(std::span<const double> found, std::span<const double> truth);
// Anomalies: 0 or 1, bits of the score.
Row anomaly_row(int64_t label, double score);

// Two networks on one sample: how much agrees, of how much.
struct Agreed {
  int64_t same = 0, of = 0;
};
Agreed agreed_boxes(std::span<const FoundObject> a, std::span<const FoundObject> b);

// Whether the integers are a row of the task; of a file that is not trusted.
bool is_row(Task task, const Row& row);

// How bad a sample is, for lists with the worst first; 0 or less: right. And why, for people.
double badness(Task task, const Row& row);
std::string verdict(Task task, const Row& row, std::span<const std::string> classes);

// All figures of one network, in the order of their importance.
Json metrics_json(Task task, const Rows& rows, std::span<const std::string> classes);
// Two networks side by side. `agreed`: of each sample, for boxes and pixels.
Json pair_json(Task task, const Rows& a, const Rows& b, std::span<const Agreed> agreed);

}  // namespace edgetwin::evaluation
