// Several networks of one template: by size, and of the trackers by colour.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace edgetwin::edgetpu::templates {

// Words of a template's arguments, by name.
using ArgumentWords = std::vector<std::pair<std::string, std::string>>;

struct SeriesMember {
  std::string label;  // of files: "64", "128_16"
  ArgumentWords words;
};

// Whether a template has a size that a series can run over, and its standard sizes.
bool has_sizes(std::string_view kind);
std::vector<std::string> standard_sizes(std::string_view kind);

// One member per size: "64", or "128/16" where the template has two. Error: template_argument.
Result<std::vector<SeriesMember>> series(std::string_view kind,
                                         const std::vector<std::string>& sizes);

}  // namespace edgetwin::edgetpu::templates
