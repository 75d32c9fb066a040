// Checks of single words of the command line; an empty text where the word is fine.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace edgetwin::cli {

inline std::string not_empty(const std::string& word) {
  return word.empty() ? "the name is empty" : "";
}

inline std::string at_least_zero(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  const bool number = !word.empty() && *end == '\0' && std::isfinite(value);
  return number && value >= 0.0 ? "" : "'" + word + "' is not a number of at least 0";
}

}  // namespace edgetwin::cli
