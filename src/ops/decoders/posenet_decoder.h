// Poses of several people out of heatmaps and offsets (the decoder of PersonLab).
// Source: kernel specification 5.2, module specification 4.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graph/attrs.h"

namespace edgetwin::ops {

inline constexpr int kKeypoints = 17;
inline constexpr int kPoseEdges = 16;  // of the skeleton; each may be walked both ways

// Real numbers on a grid of height x width blocks; offsets in blocks, that is, divided by the
// stride. A y block of channels comes before its x block.
struct PoseMaps {
  int64_t height = 0;
  int64_t width = 0;
  std::span<const float> heatmaps;       // 17 channels: logits
  std::span<const float> short_offsets;  // 34: from the centre of a block to the keypoint
  std::span<const float> mid_offsets;    // 64: along the edges, forward y, x, then backward y, x
};

using PoseEdge = std::array<int, 2>;

// Parent to child. 0 nose; then left and right of 1, 2 eye; 3, 4 ear; 5, 6 shoulder; 7, 8 elbow;
// 9, 10 wrist; 11, 12 hip; 13, 14 knee; 15, 16 ankle.
inline constexpr std::array<PoseEdge, kPoseEdges> kEdges = {{{0, 1},
                                                             {1, 3},
                                                             {0, 2},
                                                             {2, 4},
                                                             {0, 5},
                                                             {5, 7},
                                                             {7, 9},
                                                             {5, 11},
                                                             {11, 13},
                                                             {13, 15},
                                                             {0, 6},
                                                             {6, 8},
                                                             {8, 10},
                                                             {6, 12},
                                                             {12, 14},
                                                             {14, 16}}};

struct PosePoint {
  float y = 0.0F, x = 0.0F;
};

struct Pose {
  std::array<PosePoint, kKeypoints> points = {};  // pixels
  std::array<float, kKeypoints> scores = {};
  float score = 0.0F;
};

// Walks are numbered: 0..15 forward along the edges, 16..31 back along the same. Only walks from
// this number on take their offsets from the backward channels.
//
// 16 is what the channels mean, and what the vendor's recorded poses show on the processor and on
// the accelerator, 34 of 34 key points for each of four networks. One reading of the original has
// walk 16 (left eye to nose) still forward, at channels 16 and 32, which belong to others; the
// stored decoder cases are reproduced by both.
inline constexpr int kFirstBackwardWalk = kPoseEdges;
inline constexpr int kFirstBackwardWalkShifted = kPoseEdges + 1;

// NaN gives 0.
inline float clamp_coordinate(float v, int64_t size) {
  const auto last = static_cast<float>(size - 1);
  return v > 0.0F ? std::min(v, last) : 0.0F;
}

inline float squared_distance(PosePoint a, PosePoint b) {
  const float dy = a.y - b.y;
  const float dx = a.x - b.x;
  return dy * dy + dx * dx;
}

inline float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

struct Candidate {
  float score = 0.0F;
  PosePoint point;
  int keypoint = 0;
};

// A binary heap whose order among equals is part of the result: the textbook one (the last element
// takes the place of the first and sinks, also past equals), as libc++ had it when poses were
// recorded. std::priority_queue would make the poses depend on the compiler's library.
class CandidateHeap {
 public:
  bool empty() const { return items_.empty(); }

  void push(const Candidate& c) {
    items_.push_back(c);
    for (size_t i = items_.size() - 1; i > 0;) {
      const size_t parent = (i - 1) / 2;
      if (!(items_[parent].score < items_[i].score)) return;
      std::swap(items_[parent], items_[i]);
      i = parent;
    }
  }

  Candidate pop() {
    const Candidate top = items_.front();
    items_.front() = items_.back();
    items_.pop_back();
    for (size_t i = 0; 2 * i + 1 < items_.size();) {
      size_t child = 2 * i + 1;
      if (child + 1 < items_.size() && items_[child].score < items_[child + 1].score) ++child;
      if (items_[child].score < items_[i].score) break;
      std::swap(items_[child], items_[i]);
      i = child;
    }
    return top;
  }

 private:
  std::vector<Candidate> items_;
};

// Best first, at most options.max_detections.
std::vector<Pose> decode_poses(const PoseMaps& maps, const PosenetAttrs& options,
                               int first_backward_walk = kFirstBackwardWalk);

}  // namespace edgetwin::ops
