// The arguments of `enroll` and `match`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct EnrollArguments {
  std::vector<std::string> features;
  std::string database;
  int remove = 0;
  Output output;
};

struct MatchArguments {
  std::string feature, database;
  std::optional<double> threshold;
  int top = 1;
};

void declare(OptionSet& options, EnrollArguments& a);
Result<int> execute(const EnrollArguments& a, Console& console);

void declare(OptionSet& options, MatchArguments& a);
Result<int> execute(const MatchArguments& a, Console& console);

}  // namespace edgetwin::cli
