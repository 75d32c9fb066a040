// What a detector's output maps mean: `run --decode`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/compute.h"
#include "cli/labels.h"
#include "decode/detection.h"
#include "exec/session.h"
#include "report/json.h"

namespace edgetwin::cli {

inline constexpr const char* kDetectionsFile = "detections.json";

struct Decoded {
  std::vector<decode::Detection> boxes;
  std::string png;  // file of the picture with the boxes; empty: none is wanted
  Bytes picture;    // its content
};

// Of `run --decode yolo26 [--draw FILE]`. Boxes are in pixels of the picture that was given, or of
// the network's input. Errors: usage for another decoder, decode_maps, image_decode.
Result<Decoded> decode_outputs(const RunArguments& arguments, const exec::Session& session,
                               const LoadedInputs& inputs, const Labels& labels);

report::Json to_json(const Decoded& decoded);
std::string to_text(const Decoded& decoded);

}  // namespace edgetwin::cli
