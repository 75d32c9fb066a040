// Everything a PackedConv16 knows: what conv16_plan.cc decides and fills in, and conv_i16.cc runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/core/aligned.h"
#include "kernels/core/table16.h"
#include "kernels/core/walk.h"
#include "kernels/i16/conv.h"

namespace edgetwin::kernels {

struct Conv16Plan {
  Window2D window;
  const KernelTable16* table = nullptr;
  std::string path;
  bool depthwise = false;
  bool split = false;  // sums in two words
  Tail16Table tail;
  AlignedArray<int32_t> tail_words;
  AlignedArray<int8_t> word_weights, byte_weights;
  AlignedArray<int32_t> low_start, high_start;

  // Dense layers.
  DenseWalk dense;
  std::vector<Piece> pieces;
  std::vector<int32_t> word_steps, byte_steps;    // of the pieces
  std::vector<int32_t> segment_ends;              // in pieces
  int vectors = 1, last_vectors = 1, blocks = 0;  // of sums in a block, and in the last one
  std::size_t bytes_at = 0;                       // of a staged row: where the upper bytes begin

  DepthwiseWalk<int16_t> taps;
  int tap_pairs = 0;

  int vectors_of(int block) const { return block + 1 == blocks ? last_vectors : vectors; }
};

// False where the layer is beyond what the kernels can sum up.
bool plan_dense16(const Conv16Spec& spec, Conv16Plan& plan);
bool plan_depthwise16(const Conv16Spec& spec, Conv16Plan& plan);

}  // namespace edgetwin::kernels
