// Words that people type.
#pragma once

#include <cstddef>
#include <string_view>

namespace edgetwin {

// Edits (insert, remove, replace a character) from one word to the other; for "did you mean".
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace edgetwin
