// A picture as the input of a network, bit for bit as ESP-DL's runtime makes it.
// docs/espdl-image.md has the parameters, the stages and where chips differ.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

struct PreparedPicture {
  Tensor tensor;  // (rows, columns, elements per pixel): int8 or int16 with an exponent, or uint8
  // Scales and borders by name, in the order of the stages: "scale_x", "border_left".
  std::vector<std::pair<std::string, double>> geometry;
  std::vector<Finding> findings;  // what differs on the chip, or is suspicious
};

struct PreprocessOptions {
  // The model whose input says the size, exponent and target that the parameters leave out; empty:
  // they say all of it.
  std::string model;
  std::string key;  // of an encrypted model
};

// `picture` is a file: a picture, or an .npy of uint8 (rows, columns, bytes per pixel). `params` is
// a JSON file. Errors: file_*, IMG-PARAM-01, IMG-CHIP-01, usage where the model has several inputs.
EDGETWIN_API Result<PreparedPicture> preprocess_picture(const std::string& picture,
                                                        const std::string& params,
                                                        const PreprocessOptions& options = {});
// The same of pixels that are there already; `params` is the JSON text.
EDGETWIN_API Result<PreparedPicture> preprocess_pixels(const Tensor& pixels,
                                                       std::string_view params);

// Whether the pipeline suits the input of options.model: warnings of size, type, exponent and
// range. Errors: as above, usage without a model.
EDGETWIN_API Result<std::vector<Finding>> check_preprocess(const std::string& params,
                                                           const PreprocessOptions& options);

}  // namespace edgetwin
