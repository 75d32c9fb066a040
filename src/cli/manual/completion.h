// Scripts that complete command lines in a shell.
#pragma once

#include <string>
#include <vector>

#include "cli/shared/parser.h"

namespace edgetwin::cli {

std::vector<std::string> shell_names();
// `shell` is one of them.
std::string completion(const std::string& shell, const std::vector<Verb>& verbs);

// One per shell: bash.cc, fish.cc, zsh.cc.
std::string bash_completion(const std::vector<Verb>& verbs);
std::string fish_completion(const std::vector<Verb>& verbs);
std::string zsh_completion(const std::vector<Verb>& verbs);

// --- What they share.
// "-o", "--output" of "-o,--output"; "--pooled", "--no-pooled" of "--pooled,!--no-pooled".
std::vector<std::string> names_of(const OptionInfo& option);
// The first line of a text, without a comma or colon at its end.
std::string first_line(const std::string& text);
// The words below a verb, separated by blanks.
std::string words_below(const Verb& verb);
// What completes the words by position of a verb.
ValueKind positional_kind(const VerbInfo& info);

}  // namespace edgetwin::cli
