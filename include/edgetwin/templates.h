// Networks made from formulas: trackers, detectors, transforms, single layers. docs/templates.md.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/result.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

// Arguments by name: {"size", "64"}. What is not named keeps its default.
using TemplateWords = std::vector<std::pair<std::string, std::string>>;

struct TemplateInfo {
  std::string_view name;                    // "spot_tracker"
  std::string_view summary;                 // for people
  std::vector<std::string_view> arguments;  // names, in the order of docs/templates.md
};
// All templates, by name.
EDGETWIN_API std::vector<TemplateInfo> all_templates();

struct MadeTemplate {
  Bytes file;            // a full-integer .tflite
  std::string metadata;  // JSON: the numbers that a program needs beside the model
};
// The same words give the same bytes. Error: template_argument for unknown names and bad values.
EDGETWIN_API Result<MadeTemplate> make_template(std::string_view name, const TemplateWords& words);

}  // namespace edgetwin
