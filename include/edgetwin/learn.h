// Classifiers that are trained behind a network which stays as it is: a dense layer with softmax,
// or weights imprinted from embeddings. Networks are .tflite files; the part before may be compiled
// for the Edge TPU.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "edgetwin/export.h"
#include "edgetwin/result.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

struct SoftmaxLayer {
  int32_t classes = 0;
  std::span<const float> weights;  // classes x features
  std::span<const float> bias;     // one per class
  float low = 0, high = 0;         // the range of the logits
};

// The network with FULLY_CONNECTED and SOFTMAX after its first output, which is flattened. Errors:
// file_kind, usage where sizes do not fit, tflite_*.
EDGETWIN_API Result<Bytes> append_softmax(ByteSpan model, const std::string& name,
                                          const SoftmaxLayer& layer);

// The network up to its one L2_NORMALIZATION. Error: usage where the end of the network is another
// than L2_NORMALIZATION, (QUANTIZE,) CONV_2D of 1x1, MUL, RESHAPE, SOFTMAX.
EDGETWIN_API Result<Bytes> embedding_extractor(ByteSpan model, const std::string& name);

struct ImprintedClasses {
  int32_t classes = 0;
  std::span<const float> weights;  // classes x features, each row of length 1
  int32_t kept = 0;                // so many of the first keep the network's own weights
  std::string description;         // of the model
};
// The network with these classes. Errors: as of embedding_extractor; usage.
EDGETWIN_API Result<Bytes> imprint(ByteSpan model, const std::string& name,
                                   const ImprintedClasses& classes);

// The parts of the end of such a network, by the numbers of their tensors.
struct ImprintingLayout {
  int32_t embedding = -1;  // output of L2_NORMALIZATION
  int32_t kernel = -1;
  int32_t classes = 0, features = 0;
};
EDGETWIN_API Result<ImprintingLayout> imprinting_layout(ByteSpan model, const std::string& name);

}  // namespace edgetwin
