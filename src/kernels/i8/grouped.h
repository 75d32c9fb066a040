// Weights of dense layers as bytes, in groups of steps whose products may be summed in words.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/core/aligned.h"
#include "kernels/core/table8.h"

namespace edgetwin::kernels {

// Weights less their zero point, block by block.
struct LaneWords {
  // To words [run][step][lane][4], of which those without a weight are zero beforehand and stay so.
  std::function<void(int block, int16_t* words)> read;
  int blocks = 0, runs = 0, run_steps = 0;
  int lanes = 0;  // of all vectors of a block: 8 or 16
};

// For a table whose steps are grouped: DenseRow::steps, groups and weights.
struct GroupedWeights {
  std::vector<ByteStep> steps;
  std::vector<ByteGroups> groups;
  AlignedArray<int8_t> weights;
};

// Of any two neighbouring weights of a lane, which one instruction multiplies, the positive ones of
// all steps of a group are 128 together at most, and so are the magnitudes of the negative ones.
// Null: these weights are so large that two multiplications for each step, which words take, are
// less.
std::optional<GroupedWeights> group_weights(const LaneWords& from);

}  // namespace edgetwin::kernels
