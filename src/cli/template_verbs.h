// The verbs of the robotics modules.
#pragma once

#include "base/result.h"
#include "cli/arguments_demo.h"
#include "cli/arguments_template.h"
#include "cli/console.h"

namespace edgetwin::cli {

Result<int> demo_verb(const DemoArguments& arguments, Console& console);
Result<int> template_verb(const TemplateArguments& arguments, Console& console);

}  // namespace edgetwin::cli
