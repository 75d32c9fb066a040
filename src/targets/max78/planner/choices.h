// What one layer without in_sequences could read.
#pragma once

#include <vector>

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

struct ResultShape {
  int channels = 0;
  Size2 size;
};

struct SourceChoice {
  std::vector<int> sources;
  int cost = 0;  // 0: the layer before it, alone or as an operand
};

// The layers before place `at` of the running order have results; what their description says of
// places in data memory holds.
struct ChoiceRequest {
  const ai8x::Network& network;
  const ai8x::Parameters& parameters;
  const std::vector<int>& order;
  const std::vector<ResultShape>& results;  // by layer
  size_t at = 0;
};

// In the order in which they are tried.
std::vector<SourceChoice> source_choices(const ChoiceRequest& request);

}  // namespace edgetwin::max78
