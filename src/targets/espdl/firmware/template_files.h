// The files of template/ and golden_format.h, as embed.cmake carries them into the program.
#pragma once

#include <string_view>
#include <vector>

namespace edgetwin::targets::espdl {

struct TemplateFile {
  std::string_view name;  // without folder
  std::string_view text;
};

const std::vector<TemplateFile>& template_files();

}  // namespace edgetwin::targets::espdl
