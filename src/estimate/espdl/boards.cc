#include "estimate/espdl/boards.h"

namespace edgetwin::estimates {
namespace {

constexpr int64_t kKi = 1024, kMi = 1024 * 1024;

constexpr Board kBoards[] = {
#define BOARD(name, target, flash, psram, lines, internal, time, text) \
  {name, espdl::Target::target, (flash)*kMi, (psram)*kMi, lines, (internal)*kKi, time, text},
#include "estimate/espdl/boards.def"
#undef BOARD
};

// That most published tables are of.
std::string_view default_board(espdl::Target target) {
  return target == espdl::Target::esp32s3 ? "esp32s3-n16r8" : "esp32p4-32";
}

}  // namespace

std::span<const Board> all_boards() { return kBoards; }

Result<const Board*> find_board(const std::string& name, espdl::Target target) {
  std::string list;
  for (const Board& b : kBoards) {
    if (b.target != target) continue;
    if (b.name == (name.empty() ? default_board(target) : std::string_view(name))) return &b;
    list += (list.empty() ? "" : ", ") + std::string(b.name);
  }
  return Error(ErrorCode::usage,
               "there is no board '" + name + "' with an " + std::string(espdl::name(target)))
      .with_hint("Boards: " + list + ".");
}

}  // namespace edgetwin::estimates
