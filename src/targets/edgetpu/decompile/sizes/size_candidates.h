// The sizes that an output may have, by stride and padding, and what they make of a layer.
#pragma once

#include <span>
#include <vector>

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

struct SizeCandidate {
  int h = 0, w = 0, stride_h = 1, stride_w = 1;
  DecompiledLayer::Pad pad = DecompiledLayer::Pad::same;
  int top = 0, left = 0, bottom = 0, right = 0;
};

using SizeCandidates = std::span<const SizeCandidate>;

// Channels of a pixel as memory has them, in whole words.
inline int padded_channels(int c) { return (c + 3) / 4 * 4; }

// With the padding that TensorFlow Lite calls SAME and VALID.
int same_size(int in, int stride);
int valid_size(int in, int kernel, int stride);

// The likely ones first: strides that the traversals show before others, padding of the two usual
// kinds before given one.
std::vector<SizeCandidate> size_candidates(const DecompiledLayer& l);

void take_candidate(DecompiledLayer& l, const SizeCandidate& c);

}  // namespace edgetwin::edgetpu
