// The C project for a network: the vendor's files, functions and array formats, in words of our
// own. Source: specification "codegen" 1 to 7.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "targets/max78/frame/frame.h"
#include "targets/max78/generate/generate.h"

namespace edgetwin::max78 {

struct ProjectFile {
  std::string name;  // with folders, "/" between them
  std::string text;
};

struct ProjectOptions {
  std::string name = "network";  // of the project
  std::string board = "EvKit_V1";
  std::vector<std::string> labels = {};  // of the classes that --softmax prints; none: numbers
  // The sample as a camera sends it, which the program turns into the input; null: it has words.
  const Frame* frame = nullptr;
};

// `compiled`: of this plan. Errors: max78_rules where the program is not one of compile(),
// max78_option for a frame that the first layer does not take.
Result<std::vector<ProjectFile>> make_project(const Plan& plan, const CompiledNetwork& compiled,
                                              const ProjectOptions& options);

}  // namespace edgetwin::max78
