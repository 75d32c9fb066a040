// Words of a command line as the vendor's tools take them: argparse of Python.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace edgetwin::cli::vendor {

enum class Takes : uint8_t { nothing, value, list };  // a list may be left out

struct Argument {
  std::string name;                  // as the tool has it; empty: a word by position
  std::optional<std::string> value;  // of a word by position the word
};

// "--checkpoint-file F", "--checkpoint-file=F", and the first letters of a name where no other name
// has them. Errors: usage for names that are unknown or mean several, and for values that are
// missing.
Result<std::vector<Argument>> parse(const std::vector<std::string>& words,
                                    const std::map<std::string, Takes>& names);

// The target of "MAX78000", "78000", "AI85", "85" ...: as it is where nothing else is known.
std::string target_of(const std::string& device);

// argv of `ai8xize.py` and `quantize.py` after the tool's name.
Result<std::vector<std::string>> ai8xize_line(const std::vector<std::string>& words);
Result<std::vector<std::string>> quantize_line(const std::vector<std::string>& words);

}  // namespace edgetwin::cli::vendor
