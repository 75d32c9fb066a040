// What is printed: one line per check for programs, beginning with EDGETWIN, and lines for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compare.hpp"

namespace check {

using Pairs = std::vector<std::pair<const char*, std::string>>;

class Report {
 public:
  void info(const Pairs& pairs);
  void pass(const char* suite, const std::string& name, int64_t checked);
  // `node` names the first operator that differs; empty where it is not known.
  void fail(const char* suite, const std::string& name, const Difference& difference,
            const std::string& node = "");
  void summary();

 private:
  int checks_ = 0;
  int failed_ = 0;
};

// For people only.
void say(const std::string& text);

// Without what would end a word: characters up to space, '%' and beyond ASCII become %XX.
std::string word(const std::string& text);

std::string hexadecimal(uint32_t value);

}  // namespace check
