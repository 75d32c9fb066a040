// What boards with ESP-DL printed of the published examples, computed again: boxes, key points,
// texts, identities, colours, and vector instructions that somebody measured.
#pragma once

#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"

namespace edgetwin::twin {

enum class BoardOutcome : uint8_t {
  equal,      // in every printed number
  near,       // the same objects; the chip's JPEG decoder, which is closed, makes the distance
  explained,  // the log and the file contradict each other; the rule stands
  neutral,    // measured, but of no rule of networks
  different,
  missing  // its model or picture is not here
};
std::string_view name(BoardOutcome outcome);

struct BoardCase {
  std::string id, found;
  BoardOutcome outcome = BoardOutcome::missing;
};

struct BoardReport {
  std::vector<BoardCase> cases;
  size_t count(BoardOutcome outcome) const;
  // Nothing differs, and something was compared.
  bool verified() const;
};

// Is FOLDER/cases.json a list of such results?
bool is_board_results(const std::string& folder);

// `models`: folders with the vendor's tree, or with one folder for each model; FOLDER/.. and
// FOLDER/../upstream are searched too. Errors: file_*, bad_value for a cases.json of another form.
Result<BoardReport> verify_boards(const std::string& folder, const std::vector<std::string>& models,
                                  const ProgressSink& progress);

}  // namespace edgetwin::twin
