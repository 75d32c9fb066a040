// Average precision of detections, as COCO counts it: 101 recalls, overlaps of 0.5 to 0.95.
#pragma once

#include <vector>

#include "train/losses/detections.h"

namespace edgetwin::train {

struct AveragePrecision {
  int64_t objects = 0, found = 0;  // true objects; detections of the class
  double mean = 0;                 // over overlaps of 0.5, 0.55, ..., 0.95; percent
  double half = 0;                 // at an overlap of 0.5
};

// What is found in each picture, and what is true of it.
class PrecisionCounter {
 public:
  explicit PrecisionCounter(int classes) : classes_(classes) {}  // without the background

  void see(const std::vector<Detection>& found, const Objects& objects);
  // One per class, from class 1.
  std::vector<AveragePrecision> result() const;

 private:
  struct Picture {
    std::vector<Detection> found;
    Objects objects;
  };
  int classes_;
  std::vector<Picture> pictures_;
};

// Means over the classes that have objects.
struct MeanPrecision {
  double mean = 0, half = 0;
};
MeanPrecision mean_precision(const std::vector<AveragePrecision>& classes);

}  // namespace edgetwin::train
