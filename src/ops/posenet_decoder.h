// Poses of several people out of heatmaps and offsets (the decoder of PersonLab).
// Source: kernel specification 5.2, module specification 4.2.
#pragma once

#include <array>
#include <cstdint>
#include <span>
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
// 16 is what the channels mean. The operator's original compares so that walk 16 (left eye to nose)
// still counts as forward, and reads channels 16 and 32, which belong to others.
inline constexpr int kFirstBackwardWalk = kPoseEdges;
inline constexpr int kFirstBackwardWalkOfOriginal = kPoseEdges + 1;

// Best first, at most options.max_detections.
std::vector<Pose> decode_poses(const PoseMaps& maps, const PosenetAttrs& options,
                               int first_backward_walk = kFirstBackwardWalk);

}  // namespace edgetwin::ops
