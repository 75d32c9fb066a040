// Judges a model before it goes to a chip: by the rules of rules.def, and by lowering and planning
// it. docs/espdl-rules.md.
#pragma once

#include <string>
#include <vector>

#include "base/finding.h"
#include "formats/espdl/document/document.h"
#include "formats/espdl/document/target.h"
#include "targets/espdl/check/rules.h"

namespace edgetwin::targets::espdl {

struct CheckOptions {
  std::string file;  // used in errors only
  bool plan = true;  // also lower the document and prepare it with the target's arithmetic
  int runtime = 0;   // as exec::Options::runtime
};

// All findings at once, in the order of the file's operators where they belong to one; those of the
// whole document come first, errors of lowering and planning last. `id` is that of a rule or, of
// lowering and planning, of an error (base/error_codes.def); `place` is "#12 Conv 'name'", or the
// tensor in quotes. Documents from anywhere: every index and size is checked before it is used.
std::vector<Finding> check(const edgetwin::espdl::Document& document,
                           edgetwin::espdl::Target target, const CheckOptions& options = {});

// The same with what reading the file has shown: its header, and the reader's findings.
std::vector<Finding> check(const edgetwin::espdl::ModelFile& model, edgetwin::espdl::Target target,
                           const CheckOptions& options = {});

}  // namespace edgetwin::targets::espdl
