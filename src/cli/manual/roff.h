// Manual pages in the language of man(7).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/shared/parser.h"

namespace edgetwin::cli {

// The page of the program: edgetwin(1).
std::string program_page(const std::vector<Verb>& verbs);
// The page of a verb and of those below it: edgetwin-run(1).
std::string verb_page(const Verb& verb, const std::vector<VerbInfo>& all);

}  // namespace edgetwin::cli
