// Pictures through the networks that ESP-DL publishes, as the chip does it: brought in by its
// picture pipeline, computed, decoded by its post-processors, with one network or several in a row.
// docs/espdl-decode.md.
//
//   const auto seen = see_picture("cat.png", {{{"cat.espdl", {}, {}, "espdl-espdet"}}});
//   std::cout << seen->text;
#pragma once

#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

// A network and what reads its outputs.
struct VisionStage {
  std::string file;
  OpenOptions open;
  RunnerOptions run;
  std::string decoder;  // "espdl-yolo11", …: a name of vision_decoders()
  // Names of the classes, or the dictionary of texts; empty: the decoder's own, or numbers.
  std::vector<std::string> names = {};
};

struct VisionOptions {
  // The second and third look at what the one before found: faces again (espdl-mnp), their features
  // (espdl-feature), classes of what is in a box (espdl-imagenet, espdl-gesture), texts
  // (espdl-ocr-rec).
  std::vector<VisionStage> stages;
  // JSON: members of docs/espdl-image.md and of docs/espdl-decode.md, of the first stage, or with
  // "stages" a list of such objects. What is not named is that of the published model.
  std::string params = {};
  bool draw = false;  // Vision::picture
};

// One inference.
struct VisionRun {
  size_t stage = 0;
  std::string what;  // "the picture", "box 2"
  Tensor input;
  std::vector<Tensor> outputs;
};

struct Vision {
  std::string json;            // result.json: "detections", "classes", "boxes", "text"
  std::string text;            // for people
  std::vector<Tensor> arrays;  // masks and features by the names in `json`, without ".npy"
  Bytes picture;               // PNG with what was found
  std::vector<VisionRun> runs;
  std::vector<Finding> findings;
};

// `picture`: a file, PNG, JPEG, BMP or .npy of pixels. Errors: usage for stages that do not follow
// one another, file_*, IMG-*, decode_maps, those of Network::open and Runner.
EDGETWIN_API Result<Vision> see_picture(const std::string& picture, const VisionOptions& options);
// The same of pixels, uint8 (rows, columns, bytes per pixel).
EDGETWIN_API Result<Vision> see_pixels(const Tensor& pixels, const VisionOptions& options);

// Outputs that were computed somewhere, found by name; `params` as for `edgetwin decode`.
EDGETWIN_API Result<Vision> decode_espdl(const std::string& decoder,
                                         const std::vector<Tensor>& outputs,
                                         const std::string& params,
                                         const std::vector<std::string>& names = {});

// Those of networks; "espdl-face" and "espdl-ocr" stand for two stages each.
EDGETWIN_API std::vector<std::string> vision_decoders();
// "espdl-face" as {"espdl-msr", "espdl-mnp"}; a name that is no pair stands for itself.
EDGETWIN_API std::vector<std::string> decoders_of_pair(const std::string& name);

// A name per line; lines of a dictionary may be a blank or a number. Empty for no file.
EDGETWIN_API Result<std::vector<std::string>> read_names(const std::string& decoder,
                                                         const std::string& file);

}  // namespace edgetwin
