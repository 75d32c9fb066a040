// Where the elements of a document's lists are in its text.
#pragma once

#include <string_view>
#include <vector>

namespace edgetwin::evaluation {

// Lines, from 1, in which the elements of the list `key` of the outermost object begin. `text` is a
// JSON document.
std::vector<int> lines_of_elements(std::string_view text, std::string_view key);

}  // namespace edgetwin::evaluation
