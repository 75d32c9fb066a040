// Words of C, with macros replaced.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "targets/max78/csource/read_c.h"

namespace edgetwin::max78 {

struct Token {
  enum class Kind : uint8_t { name, number, text, mark, end };
  Kind kind = Kind::end;
  uint32_t number = 0;
  int line = 0;
  int file = 0;
  std::string word;  // of names and marks; of texts with their quotes

  bool is(const char* text) const { return kind != Kind::text && word == text; }
};

// All sources one after the other, with an end token. Errors: max78_program_text.
Result<std::vector<Token>> c_tokens(const std::vector<CFile>& files, const CLimits& limits);

}  // namespace edgetwin::max78
