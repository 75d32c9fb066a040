// The rules of a chip: everything that stands against a network, at once. Nothing is computed and
// nothing is written. docs/espdl-rules.md, docs/max78-rules.md and docs/edgetpu-isa.md have the
// rules with the evidence of each.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

// One chip's answer about one model.
struct TargetCheck {
  std::string model;               // of a package: the model's name
  const Target* target = nullptr;  // of the table of targets
  std::vector<Finding> findings;   // errors first, then warnings, then notes
  // No rule is broken: no finding is an error.
  bool fits = false;
  // Of a network for the Edge TPU: where each operator is computed, and the groups of those on it.
  std::vector<PlacedOperator> operators;
  std::vector<ProgramGroup> groups;

  EDGETWIN_API size_t count(Severity severity) const;
};

// One row for each model of the file and each chip that is asked about: options.target; without it
// the chip that the file tells, or of a file that fits several all of them (.espdl: those with a
// vector unit, if it does not say more; .onnx: the same; .yaml: MAX78000 and MAX78002; .tflite: the
// Edge TPU, what its compiler leaves to the host). `options.member` picks one model of a package.
// Errors: file_*, file_kind where no chip has rules for the content, usage where the target is
// unknown or not the file's, and those of the readers.
EDGETWIN_API Result<std::vector<TargetCheck>> check(const std::string& file,
                                                    const OpenOptions& options = {});
// `name` is what messages call the bytes.
EDGETWIN_API Result<std::vector<TargetCheck>> check(ByteSpan bytes, const std::string& name,
                                                    const OpenOptions& options = {});

}  // namespace edgetwin
