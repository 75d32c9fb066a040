// Everything a LaneConv knows: what lanes_plan.cc decides and fills in, and conv_lanes.cc runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/aligned.h"
#include "kernels/core/lane_table.h"
#include "kernels/core/walk.h"
#include "kernels/lanes/conv.h"

namespace edgetwin::kernels {

struct LanePlan {
  Window2D window;
  bool depthwise = false;
  int channel_begin = 0, channel_end = 0;
  int32_t act_min = 0, act_max = 0;
  std::string path;

  // Kernels; null where the definition runs.
  const LaneTable* table = nullptr;
  AlignedArray<int8_t> packed;
  AlignedArray<int32_t> constants;
  std::vector<uint8_t> calm;
  std::vector<Piece> pieces;
  std::vector<int32_t> steps;
  AlignedArray<int32_t> room;  // LaneRow::room
  int all_parts = 0;
  DenseWalk dense;
  DepthwiseWalk<int8_t> taps;

  // The definition.
  std::vector<int8_t> weights;
  std::vector<int32_t> lane_start, wide_start;
  std::vector<int> shifts;

  int channels() const { return channel_end - channel_begin; }
};

// Whether wide sums stay within what the kernels count in.
bool kernels_can_sum(const LaneSpec& spec);
void plan_lanes(const LaneSpec& spec, LanePlan& plan);

}  // namespace edgetwin::kernels
