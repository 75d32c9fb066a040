// The files of the page, embedded in the program.
#pragma once

#include <span>
#include <string_view>

namespace edgetwin::serve {

struct Asset {
  std::string_view path;  // "/app.js"
  std::string_view type;  // "text/javascript"
  std::string_view text;
};

std::span<const Asset> assets();

}  // namespace edgetwin::serve
