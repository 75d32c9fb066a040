// Which chip has which verb, for documents and helps.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace edgetwin::targets {

// docs/targets.md: the chips, and the matrix of verbs and chips with the reason for each gap.
// `verbs` are those that meet a target, in the order of the help.
std::string targets_markdown(std::span<const std::string_view> verbs);

// The matrix in columns, 80 characters wide.
std::string matrix_text(std::span<const std::string_view> verbs);

// The chips of one verb, and why the others lack it; lines of 80 characters.
std::string verb_text(std::string_view verb);

}  // namespace edgetwin::targets
