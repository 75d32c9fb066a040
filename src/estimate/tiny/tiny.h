// The four networks of MLPerf Tiny as float ONNX files: their layers by the published descriptions,
// with pseudo-random weights. They cost what the trained ones cost; they know nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::estimates {

struct TinyNetwork {
  std::string name;  // "ic_resnet8"
  std::string text;
  int64_t macs = 0, parameters = 0;
  Bytes onnx;
  Bytes samples;  // .npy, float32, a sample a row
};

// Image classification, key words, visual wake words, anomaly detection, in this order. `seed` is
// not 0. Errors: onnx writing.
Result<std::vector<TinyNetwork>> tiny_networks(uint32_t seed);

}  // namespace edgetwin::estimates
