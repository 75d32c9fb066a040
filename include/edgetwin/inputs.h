// From what users have (files, pictures, arrays, a seed) to the tensors of a runner's inputs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/runner.h"

namespace edgetwin {

struct PictureOptions {
  enum class Resize : uint8_t { nearest, half_pixel, lanczos };
  Resize resize = Resize::nearest;
  // Of real inputs: (pixel - mean) / std, a number or one per channel; none: docs/cli.md, "Inputs".
  std::vector<float> mean, std;
};

// What was given, for manifests and reports.
struct GivenInput {
  std::string text;    // the word
  std::string sha256;  // of the file; empty for a generator
};

struct Inputs {
  std::vector<Tensor> tensors;  // one per input, of its type and shape
  std::vector<GivenInput> given;
  std::optional<Tensor> picture;  // the first picture that was given, before resizing
};

// Each word is FILE, NAME=FILE or xs32:SEED (docs/cli.md, "Inputs"). An .npy of the input's own
// integer type is taken raw, float32 is quantized with the input's parameters, PNG, JPEG and BMP
// are resized and quantized, a seed fills all inputs. `place` names the model in messages. Errors:
// input_missing, input_surplus, usage, file_*, input_*, npy_*, image_decode.
EDGETWIN_API Result<Inputs> read_inputs(const std::vector<std::string>& words, const Runner& runner,
                                        const PictureOptions& options = {},
                                        const std::string& place = "");

// The same numbers for another runner: of tensors that fit the inputs of `from`, those that fit the
// inputs of `to`, which are paired by name, else in order. Integers that stand for the same numbers
// are copied; others become real numbers and are quantized anew, and channels are moved where one
// network has them before rows and columns. Errors: input_missing, input_shape, input_type.
EDGETWIN_API Result<std::vector<Tensor>> same_inputs(std::span<const Tensor> tensors,
                                                     const Runner& from, const Runner& to);

}  // namespace edgetwin
