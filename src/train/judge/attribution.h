// Which places of an item speak for and against a class: gradient times input, and what an output
// loses where a square is covered. Specification: training, 13.
#pragma once

#include <vector>

#include "base/result.h"
#include "train/data/data.h"
#include "train/network/model.h"

namespace edgetwin::train {

// Of one item and one class, per place of the picture: what speaks for the class is above 0. Data
// of one dimension are pictures of channels by length.
struct Attribution {
  int width = 0, height = 0;
  std::vector<float> values;
};

// The gradient of an output of the network times the input, summed over the channels.
Attribution gradient_times_input(Model& model, const Maps& input, int output, ThreadPool& pool);

// By how much outputs fall where a square of zeros covers the input; all outputs.
std::vector<Attribution> occlusion(Model& model, const Maps& input, ThreadPool& pool);

// A picture of one item (PNG): a column per class, red speaks for it and blue against it; above by
// the gradient, below by occlusion. The classes are the true one and those with the largest
// outputs.
Result<Bytes> attribution_picture(Model& model, const DataSet& data,
                                  const std::vector<std::string>& classes, uint32_t item,
                                  ThreadPool& pool);

}  // namespace edgetwin::train
