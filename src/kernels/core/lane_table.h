// What an instruction set supplies for saturating lanes of 20 bits: plain functions, as in
// kernel_table.h, whose rules hold here too. lanes_plan.cc derives the arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// Rows of constants of one vector of channels. Wide sums count in sixteenths, lanes in whatever the
// instruction set saturates at.
enum LaneConstant : int {
  kLaneStart = 0,
  kWideStart = 1,
  kWideToLane = 2,  // start of the lane less that of the wide sum, unscaled
  kLaneHalf = 3,
  kLaneShift = 4,
  kLaneConstants = 5
};

// Steps whose products may be summed without limits where a lane has room for all of them: no more
// than lanes at zero have.
inline constexpr int kLanePartSteps = 12;

struct LaneFinish {
  const int32_t* constants = nullptr;  // [block][row][lane]
  const uint8_t* calm = nullptr;       // [block]: its lanes cannot saturate
  int32_t act_min = 0, act_max = 0;
};

// Neighbouring pixels of a dense layer. Elements are staged as words of sixteen times their value.
struct LaneRow {
  const uint8_t* const* runs = nullptr;  // pieces of the first pixel's window
  const int32_t* steps = nullptr;        // of two elements
  int pieces = 0;
  std::ptrdiff_t all_steps = 0;
  std::ptrdiff_t pixel_stride = 0;  // bytes
  int pixels = 0;
  const int8_t* weights = nullptr;  // [block][piece][step][lane][2 words]
  // [block][part of a piece][lane]: how far from zero a lane may be before the part, so that it
  // cannot reach its limits there; in units of the lanes.
  const int32_t* room = nullptr;
  std::ptrdiff_t all_parts = 0;
  LaneFinish finish;
  int blocks = 0, channels = 0;  // those that are wanted
  int8_t* out = nullptr;         // of the first of them
  std::ptrdiff_t out_stride = 0;
};

// Pixels of a depthwise layer: see DepthwisePixels of walk.h.
struct LaneDepthwiseRow {
  const int8_t* const* taps = nullptr;
  int tap_count = 0;
  std::ptrdiff_t stride = 0;
  int pixels = 0;
  const int8_t* weights = nullptr;  // [block][tap][lane][2 words, the second zero]
  LaneFinish finish;
  int block_begin = 0, block_end = 0, channels = 0;
  bool gathered = false;
  int8_t* out = nullptr;
  std::ptrdiff_t out_stride = 0;
};

struct LaneTable {
  int lanes;       // channels of a block
  int lane_scale;  // bits that a lane's value is shifted to the left while it is summed up
  void (*encode)(uint8_t* words, const int8_t* from, std::size_t count);
  // Both return how many results differ from those of the wide sum.
  int64_t (*dense)(const LaneRow& row);
  int64_t (*depthwise)(const LaneDepthwiseRow& row);
};

}  // namespace edgetwin::kernels
