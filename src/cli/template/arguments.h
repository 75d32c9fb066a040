// The arguments of `template`.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct TemplateArguments {
  std::string kind;
  std::map<std::string, std::string> values;  // by the name of templates.def, as far as given
  Output output, metadata;
};

Result<int> execute(const TemplateArguments& a, Console& console);

}  // namespace edgetwin::cli
