// The verbs of the robotics modules.
#pragma once

#include "base/result.h"
#include "cli/arguments_template.h"
#include "cli/console.h"

namespace edgetwin::cli {

Result<int> template_verb(const TemplateArguments& arguments, Console& console);

}  // namespace edgetwin::cli
