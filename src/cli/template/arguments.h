// The arguments of `template`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct TemplateArguments {
  std::string kind;
  std::map<std::string, std::string> values;  // by the name of templates.def, as far as given
  std::vector<std::string> sizes;
  bool all_colors = false, standard = false;
  Output output, metadata;

  // Several networks into a folder.
  bool several() const { return !sizes.empty() || all_colors || standard; }
};

Result<int> execute(const TemplateArguments& a, Console& console);

}  // namespace edgetwin::cli
