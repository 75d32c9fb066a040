// What a user may choose when a float network is converted.
#pragma once

#include <map>
#include <string>

#include "quantize/calibration/method.h"
#include "targets/max78/convert/draft/draft.h"

namespace edgetwin::max78 {

struct ConvertSettings {
  ai8x::Device device = ai8x::Device::max78000;
  std::string name = "network";        // of the files and of the network in them
  int bits = 8;                        // of weights: 1, 2, 4 or 8
  std::map<std::string, int> bits_of;  // by name of the layer or of the node: the exceptions
  quantize::Method method = quantize::Method::percentile;
  bool correct_bias = false;  // what rounding adds to the mean of an output goes into its bias
  int threads = 1;
  // False: processors, offsets and gaps are left to the planner (planner/planner.h).
  bool placed = true;
  // The input is folded where the first layer has a stride: fewer cycles and less memory for it,
  // and a sample of another shape.
  bool fold = false;
};

}  // namespace edgetwin::max78
