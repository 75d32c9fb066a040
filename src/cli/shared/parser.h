// The command line to a verb with the values of its options.
#pragma once

#include <optional>
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

Parsed parse(const std::vector<Verb>& verbs, int argc, const char* const* argv);

// A verb that runs, for texts about it.
struct VerbInfo {
  std::string words;  // "info", "lut build"
  const Verb* verb = nullptr;
  std::vector<OptionInfo> options;  // those of every verb last
};

// Of all verbs, in the order of the table.
std::vector<VerbInfo> describe(const std::vector<Verb>& verbs);

}  // namespace edgetwin::cli
