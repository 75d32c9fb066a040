#include <algorithm>

#include "targets/espdl/log/log_reader.h"

namespace edgetwin::targets::espdl {
namespace {

constexpr std::string_view kLayer = "Testing Layer: ";
constexpr std::string_view kTarget = "TARGET: ";
constexpr std::string_view kSuccess = "SUCCESS: ";
constexpr std::string_view kMatches = " matches";
constexpr std::string_view kFailure = "FAILURE: ";
constexpr std::string_view kFound = " found ";
constexpr std::string_view kMismatch = "Mismatch at ";
constexpr std::string_view kStart = "Validation Loop";
constexpr std::string_view kFinished = "Validation Suite Finished";
constexpr size_t kMaxOlderInfo = 100;

// What follows `mark` in the text, which may have symbols before it; nothing if it is not there.
std::optional<std::string_view> after(std::string_view text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(at + mark.size());
}

// The integer after `mark`, up to the next character that is not of a number.
std::optional<int64_t> number_after(std::string_view text, std::string_view mark) {
  const auto rest = after(text, mark);
  if (!rest) return std::nullopt;
  size_t length = 0;
  while (length < rest->size() &&
         ((*rest)[length] == '-' || ((*rest)[length] >= '0' && (*rest)[length] <= '9'))) {
    ++length;
  }
  return to_integer(rest->substr(0, length));
}

}  // namespace

// The check that a verdict or a mismatch belongs to: the layer that was announced last.
LogCheck& OlderLines::current(const LogLine& line) {
  if (!open_) {
    log_.checks.emplace_back();
    log_.checks.back().suite = "layer";
    log_.checks.back().line = line.number;
    open_ = true;
  }
  return log_.checks.back();
}

bool OlderLines::read_verdict(const LogLine& line) {
  if (const auto rest = after(line.text, kSuccess)) {
    const size_t end = rest->find(kMatches);
    if (end == std::string_view::npos) return false;
    LogCheck& check = current(line);
    check.name = std::string(rest->substr(0, end));
    check.passed = check.count == 0;
    open_ = false;
    return true;
  }
  if (const auto rest = after(line.text, kFailure)) {
    const size_t end = rest->rfind(kFound);
    if (end == std::string_view::npos) return false;
    const auto count = number_after(rest->substr(end), kFound);
    // A cut number would be a smaller one.
    if (!count || !line.whole) return false;
    LogCheck& check = current(line);
    check.name = std::string(rest->substr(0, end));
    check.count = *count;
    open_ = false;
    return true;
  }
  return false;
}

void OlderLines::read_mismatch(const LogLine& line) {
  const auto index = number_after(line.text, kMismatch);
  const auto hw = number_after(line.text, "HW=");
  const auto sim = number_after(line.text, "Sim=");
  if (!index || !hw || !sim || !line.whole) return;
  LogCheck& check = current(line);
  check.count = std::max<int64_t>(check.count, 1);
  if (check.has_first) return;
  check.has_first = true;
  check.first = *index;
  check.hw = *hw;
  check.sim = *sim;
}

void OlderLines::read(const LogLine& line) {
  if (log_.checks.size() >= kMaxLogChecks) return;
  if (const auto name = after(line.text, kLayer)) {
    seen_ = true;
    open_ = false;
    current(line).name = std::string(*name);
  } else if (read_verdict(line)) {
    seen_ = true;
  } else if (after(line.text, kMismatch)) {
    read_mismatch(line);
  } else if (const auto target = after(line.text, kTarget);
             target && log_.info.size() < kMaxOlderInfo) {
    log_.info.push_back({"target", std::string(*target), line.number});
  } else if (after(line.text, kFinished)) {
    seen_ = true;
    log_.has_summary = true;
  } else if (after(line.text, kStart)) {
    if (log_.starts++ > 0) add_finding(log_, Severity::note, line.number, "the chip began again");
    log_.checks.clear();
    log_.info.clear();
    log_.has_summary = false;
    open_ = false;
  }
}

void OlderLines::finish() {
  bool failed = false;
  bool unfinished = false;
  for (LogCheck& check : log_.checks) {
    // A layer that was announced has passed only if it said so.
    const bool silent = !check.passed && check.count == 0 && !check.has_first;
    if (silent) {
      add_finding(log_, Severity::error, check.line,
                  "layer '" + check.name + "' was begun and has no verdict");
    }
    unfinished = unfinished || silent;
    failed = failed || (!check.passed && !silent);
  }
  if (!log_.has_summary) {
    add_finding(log_, Severity::error, 0, "the line that says it has finished is missing");
  }
  add_finding(log_, Severity::note, 0,
              "the older program compares whole runs of 1,024 values and leaves out the last four, "
              "32766 and 32767 among them");
  if (failed) {
    log_.verdict = DeviceLog::Verdict::fail;
  } else if (log_.has_summary && !unfinished && !log_.checks.empty()) {
    log_.verdict = DeviceLog::Verdict::pass;
  }
}

}  // namespace edgetwin::targets::espdl
