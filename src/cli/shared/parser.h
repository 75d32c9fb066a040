// The command line to a verb with the values of its options.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

// What the command line asks for: a verb to run, a text to print (help, version), or an error.
struct Parsed {
  Action action;  // none: text or error
  std::string text;
  std::optional<Error> error;
  ConsoleOptions console;
};

Parsed parse(std::span<const Verb> verbs, int argc, const char* const* argv);

// The options of one verb, those of every verb included.
std::vector<OptionInfo> options_of(const Verb& verb);

}  // namespace edgetwin::cli
