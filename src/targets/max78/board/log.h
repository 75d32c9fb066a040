// What a board printed while it ran the C project of a network: ours, or one of the vendor's
// demos. docs/max78.md, "The log of a board".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace edgetwin::max78 {

// A word that is not the known answer's.
struct BoardMismatch {
  uint32_t address = 0, expected = 0, found = 0;
  int line = 0;  // 1-based
};

struct BoardClass {
  int number = 0;
  int tenths = 0;  // of a percent
};

struct BoardLog {
  int starts = 0;  // how often the program began; everything else is about the last time
  int passes = 0, failures = 0;  // "*** PASS ***", "CNN: PASS"; "*** FAIL ***", "CNN: FAIL"
  std::vector<BoardMismatch> mismatches;
  std::optional<int64_t> microseconds;  // of an inference
  std::vector<BoardClass> classes;

  // The network ran, and all that was compared was equal.
  bool passed() const { return passes > 0 && failures == 0 && mismatches.empty(); }
};

inline constexpr size_t kMostBoardLogBytes = size_t{64} << 20;

bool looks_like_board_log(std::string_view text);

// Any bytes: other lines, CR LF and a last line that is cut off are expected. Error: device_log
// where the text is larger than kMostBoardLogBytes, or shows neither a result nor a mismatch.
Result<BoardLog> read_board_log(std::string_view text, const std::string& file);

}  // namespace edgetwin::max78
