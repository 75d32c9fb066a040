// What the table of modes names.
#pragma once

#include "serve/modes/mode.h"

namespace edgetwin::serve {

#define MODE(name, parameters, make, ...)                                         \
  std::vector<Parameter> parameters(const std::vector<std::string>& model_files); \
  Result<std::unique_ptr<Mode>> make(const ModeSetup& setup);
#include "serve/modes/modes.def"
#undef MODE

}  // namespace edgetwin::serve
