// Small networks of our own, so that firmware is tested where no recorded data is.
#pragma once

#include "golden/max78_cases.h"

namespace edgetwin::firmware {

enum class OwnNetwork : uint8_t {
  plain,      // convolution, pooled convolution, flattened layer with 32-bit results
  streaming,  // the first two layers stream
};

// With noise for weights, biases and sample: the same for everybody.
std::unique_ptr<golden::Max78Case> own_case(OwnNetwork network, max78::Device device,
                                            const std::vector<std::string>& words);

}  // namespace edgetwin::firmware
