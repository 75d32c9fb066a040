// Any bytes as the log of a board: numbers or an error, and never a pass that the text does not
// state.
#include <cstdlib>

#include "targets/max78/board/log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin::max78;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto log = read_board_log(text, "fuzz");
  if (!log.ok()) return 0;
  if (log->passed() && (log->passes == 0 || !log->mismatches.empty())) std::abort();
  for (const BoardMismatch& m : log->mismatches) {
    if (m.line < 1 || static_cast<size_t>(m.line) > size + 1) std::abort();
  }
  for (const BoardClass& c : log->classes) {
    if (c.number < 0 || c.tenths < 0 || c.tenths > 1009) std::abort();
  }
  return 0;
}
