// From a float network to what the compiler for MAX78000 and MAX78002 takes: a description, a
// checkpoint with integers, a sample. docs/quantize-max78.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/progress.h"
#include "base/result.h"
#include "quantize/calibration/method.h"
#include "quantize/calibration/noise.h"
#include "quantize/calibration/sample.h"
#include "targets/max78/convert/draft/draft.h"
#include "targets/max78/convert/scale/settings.h"

namespace edgetwin::max78 {

// The files, and the draft that they were made of.
struct Conversion {
  Draft draft;
  std::string yaml;
  Bytes checkpoint;
  Bytes sample;           // .npy of the first sample
  ai8x::Network network;  // as read again from `yaml`
  ai8x::Parameters parameters;
  // What the device's rules have to say without failing.
  std::vector<Finding> findings;
};

struct ConversionResult {
  std::optional<Conversion> conversion;  // only if there are no misfits
  std::vector<Error> misfits;            // all that does not fit, at once
  std::vector<Finding> findings;
};

// The graph is in ONNX's order of axes (Layout::nchw).
// Errors: graph_layout, quant_calibration, quant_not_finite, quant_setting, op_*.
Result<ConversionResult> convert(const Graph& graph, const std::vector<quantize::Sample>& samples,
                                 const ConvertSettings& settings,
                                 const ProgressSink& progress = nullptr);

struct ConversionNoise {
  quantize::Analysis analysis;
  // Samples whose largest output is at the same place in float and on the device.
  int64_t same_top = 0, samples = 0;
};

// The written files, simulated, against the float network: layer by layer, alone and accumulated.
Result<ConversionNoise> measure(const Conversion& conversion, const Graph& graph,
                                const std::vector<quantize::Sample>& samples, int threads,
                                const ProgressSink& progress = nullptr);

// --- Steps of convert.
// write.cc
// `placed`: with processors, offsets and gaps.
std::string yaml_text(const Draft& draft, bool placed = true);
// Without widths, with the output channels that training needs; outputs of 32 bits where the chip
// has them.
std::string training_yaml_text(const Draft& draft);
// The layer is the last one, and the chip gives it 32 bits.
bool is_wide(const Draft& draft, const DraftLayer& layer);
// Numbers in the accelerator's order as PyTorch stores them: transposed convolutions by input
// channel, turned around.
Result<Tensor> stored_weights(const Draft& draft, const DraftLayer& layer,
                              const std::vector<float>& values);
Result<Tensor> float_tensor(const Shape& shape, const std::vector<float>& values);
Result<Bytes> checkpoint_bytes(const Draft& draft);
// A float input as the device takes it: int8 of (channels, rows, columns).
Result<Tensor> device_input(const Draft& draft, const Tensor& sample);

}  // namespace edgetwin::max78
