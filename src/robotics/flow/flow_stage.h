// From the features of two pictures to one motion: sums over squares, correlation over all shifts,
// and the mean shift by a softmax. The part of optical flow that the host computes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::robotics {

struct Flow {
  double vx = 0.0, vy = 0.0;  // right and down, in positions of the summed map
};

struct FlowSettings {
  int height = 0, width = 0;  // of the features
  int filters = 8;
  int zero_point = 0;  // of the features' bytes
  int pool = 1;        // side of a square that is summed; 1: none
  int search_range = 4;
  double temperature = 0.1;
  bool fast = true;  // false: plain loops only
};

class FlowStage {
 public:
  // Error: module_input for settings that cannot be.
  static Result<FlowStage> make(const FlowSettings& settings);

  const FlowSettings& settings() const { return settings_; }
  int pooled_height() const { return height_; }
  int pooled_width() const { return width_; }
  size_t feature_bytes() const;

  // Both [height][width][filters]. Error: module_input for another number of bytes.
  Result<Flow> compute(ByteSpan frame_t, ByteSpan frame_t1);
  // Of the last compute(): (2 search_range + 1)^2 values, dy outer, dx inner.
  std::span<const float> scores() const { return scores_; }
  // Sums of a frame over squares, zero point taken off.
  Result<std::vector<int32_t>> pooled(ByteSpan frame) const;

 private:
  FlowSettings settings_;
  int height_ = 0, width_ = 0;
  std::vector<float> scores_;
  std::vector<int16_t> a_, b_;            // where sums fit
  std::vector<int32_t> wide_a_, wide_b_;  // where they do not

  std::vector<int64_t> sums_;

  void correlate_plain();
  void correlate(ByteSpan frame_t, ByteSpan frame_t1);
};

// The mean shift by softmax of scores of (2 range + 1)^2 shifts.
Flow soft_argmax(std::span<const float> scores, int search_range, double temperature);
// "center", "up-left", …
std::string flow_to_direction(double vx, double vy, double threshold = 0.3);

}  // namespace edgetwin::robotics
