#include "twin/verify/boards.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/json/json.h"
#include "twin/verify/board_compare.h"

namespace edgetwin::twin {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostCases = 10000;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

Result<Json> json_of(const fs::path& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file.string(), kMostBytes));
  return Json::parse(as_text(data), file.string());
}

// Instructions of the ESP32-S3's vector unit, against the rules of the twin's lanes.
Status instructions(const fs::path& file, BoardReport& report) {
  if (!fs::exists(file)) return Ok{};
  EDGETWIN_TRY_ASSIGN(const Json document, json_of(file));
  const auto cases = document.get("cases");
  for (size_t i = 0; cases && i < std::min(cases->size(), kMostCases); ++i) {
    report.cases.push_back(compare_instruction(cases->at(i)));
  }
  return Ok{};
}

}  // namespace

std::string_view name(BoardOutcome outcome) {
  switch (outcome) {
    case BoardOutcome::equal:
      return "equal";
    case BoardOutcome::near:
      return "near";
    case BoardOutcome::explained:
      return "explained";
    case BoardOutcome::neutral:
      return "neutral";
    case BoardOutcome::different:
      return "different";
    default:
      return "missing";
  }
}

size_t BoardReport::count(BoardOutcome outcome) const {
  return static_cast<size_t>(std::count_if(
      cases.begin(), cases.end(), [outcome](const BoardCase& c) { return c.outcome == outcome; }));
}

bool BoardReport::verified() const {
  return count(BoardOutcome::different) == 0 &&
         count(BoardOutcome::equal) + count(BoardOutcome::near) > 0;
}

bool is_board_results(const std::string& folder) {
  const auto cases = json_of(fs::path(folder) / "cases.json");
  if (!cases.ok() || !cases->is_array() || cases->size() == 0) return false;
  const Json first = cases->at(0);
  return first.is_object() && first.get("printed") &&
         first.get_string("provenance").value_or("").find("esp-dl") != std::string::npos;
}

Result<BoardReport> verify_boards(const std::string& folder, const std::vector<std::string>& models,
                                  const ProgressSink& progress) {
  const fs::path root(folder);
  EDGETWIN_TRY_ASSIGN(const Json cases, json_of(root / "cases.json"));
  if (!cases.is_array() || cases.size() > kMostCases) {
    return Error(ErrorCode::bad_value, "this is no list of cases")
        .in_file((root / "cases.json").string());
  }
  BoardFiles files{root, {}};
  for (const std::string& m : models) files.models.emplace_back(m);
  files.models.insert(files.models.end(), {root / ".." / "upstream", root / ".."});
  BoardReport report;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (progress) {
      progress(static_cast<double>(i) / static_cast<double>(cases.size()),
               cases.at(i).get_string("id").value_or("case"));
    }
    report.cases.push_back(compare_board(cases.at(i), files));
  }
  EDGETWIN_TRY(instructions(root / "pie.json", report));
  return report;
}

}  // namespace edgetwin::twin
