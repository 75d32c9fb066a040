// The arguments of `manual` and `completion`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct ManualArguments {
  const std::vector<Verb>* verbs = nullptr;  // of the program
  std::string verb;                          // empty: the program
  Output output;                             // folder for all pages
};

struct CompletionArguments {
  const std::vector<Verb>* verbs = nullptr;
  std::string shell;
  Output output;
};

void declare(OptionSet& options, ManualArguments& a);
Result<int> execute(const ManualArguments& a, Console& console);

void declare(OptionSet& options, CompletionArguments& a);
Result<int> execute(const CompletionArguments& a, Console& console);

}  // namespace edgetwin::cli
