// A network of several inputs as one of a single input: the device loads one picture, so that the
// inputs' channels lie side by side in it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "quantize/calibration/sample.h"

namespace edgetwin::max78 {

struct JoinedInputs {
  std::string text;  // "channels 0 to 2: 'left', 3: 'depth'"; empty: there was one input
};

// Changes the graph and its samples. Where one Concat takes all inputs in their order it is the
// joined input itself; elsewhere a part is taken by Slice. Inputs of different rows or columns are
// left apart. Error: quant_calibration where a sample has not a tensor for each input.
Result<JoinedInputs> join_inputs(Graph& graph, std::vector<quantize::Sample>& samples);

}  // namespace edgetwin::max78
