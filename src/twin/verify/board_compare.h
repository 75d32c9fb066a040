// One printed result of a board beside what the twin computes.
#pragma once

#include <filesystem>
#include <vector>

#include "base/json/json.h"
#include "twin/verify/boards.h"

namespace edgetwin::twin {

struct BoardFiles {
  std::filesystem::path root;
  std::vector<std::filesystem::path> models;
};

// Never an error: what cannot be computed is `missing`, with the reason.
BoardCase compare_board(const Json& c, const BoardFiles& files);
// A case of pie.json.
BoardCase compare_instruction(const Json& c);

}  // namespace edgetwin::twin
