// Register programs and known answers as text; docs/max78-machine.md has both forms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/program/program.h"

namespace edgetwin::max78 {

// A program as read: accesses with the lines that they come from.
struct ProgramText {
  struct Line {
    int line = 0;  // 1-based
    Access access;
  };
  struct Part {
    std::string name;
    int line = 0;
    std::vector<Line> accesses;
  };
  std::string file;
  std::vector<Part> parts;
  Device device = Device::max78000;  // by the addresses
};

// Whether a text begins like a register program, or like a known answer.
bool looks_like_program(std::string_view text);
bool looks_like_expected(std::string_view text);

// Errors: max78_program_text, with the line.
Result<ProgramText> read_program(std::string_view text, const std::string& file);
Result<std::vector<Run>> read_expected(std::string_view text, const std::string& file);

// A program that was made, not read: for machines that run what the compiler says.
ProgramText as_text(const Program& program, Device device);

}  // namespace edgetwin::max78
