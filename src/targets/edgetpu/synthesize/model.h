// From a .tflite model of one layer to a member of a family, and the parameters that it needs.
#pragma once

#include "graph/graph.h"
#include "targets/edgetpu/synthesize/program.h"

namespace edgetwin::edgetpu {

struct Source {
  Member member;
  ValueId input = 0, output = 0;  // of the model: what the host gives and gets
  Bytes parameters;               // what the caching program moves into the tiles
};

// The graph is a FULLY_CONNECTED or CONV_2D operator, perhaps between two QUANTIZE operators that
// only turn uint8 into int8 and back. Its weights have one scale per output channel, no bias and no
// activation. Errors: synthesize_model, synthesize_range.
Result<Source> source_of(const Graph& graph);

}  // namespace edgetwin::edgetpu
