// The boards of boards.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/espdl/document/target.h"

namespace edgetwin::estimates {

struct Board {
  std::string_view name;
  espdl::Target target;
  int64_t flash, psram;  // bytes
  int psram_lines;
  int64_t internal;  // bytes for a model, assumed
  double time;
  std::string_view text;
};

std::span<const Board> all_boards();
// The one of that name for the target; of an empty name the default. Error: usage with the list.
Result<const Board*> find_board(const std::string& name, espdl::Target target);

}  // namespace edgetwin::estimates
