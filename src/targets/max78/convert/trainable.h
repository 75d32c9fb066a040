// A converted float network as training begins with it: the description, and the float weights in
// the chip's units.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "targets/max78/convert/convert.h"

namespace edgetwin::max78 {

// The float network reads (byte - mean) / deviation, by channel or all alike; training reads
// (byte - 128) / 128.
struct ByteScale {
  std::vector<float> mean = {128}, deviation = {128};
};

struct TrainableNetwork {
  std::string yaml;
  Bytes checkpoint;  // of the float phase
};

// Activations get the ranges that calibration found, so that -1 .. 1 holds them. Another mean or
// deviation than 128 goes into the layers that read the input.
// Error: quant_setting where a layer without weights reads the input too.
Result<TrainableNetwork> trainable(const Draft& draft, const ByteScale& bytes);

}  // namespace edgetwin::max78
