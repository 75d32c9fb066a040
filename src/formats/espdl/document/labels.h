// How messages name the parts of a document.
#pragma once

#include <string>

namespace edgetwin::espdl {

// kind 'name', with a name of sensible length: names of a hostile file are repeated in every label.
inline std::string quoted(const std::string& kind, const std::string& name) {
  constexpr size_t kShown = 120;
  if (name.size() <= kShown) return kind + " '" + name + "'";
  return kind + " '" + name.substr(0, kShown) + "...'";
}

}  // namespace edgetwin::espdl
