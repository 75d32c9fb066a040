#include "targets/espdl/log/log.h"

#include <algorithm>
#include <charconv>

#include "targets/espdl/log/log_reader.h"

namespace edgetwin::targets::espdl {
namespace {

// Longer lines are noise: the longest line of the application has two names of 1,024 bytes, each
// byte written as three at most.
constexpr size_t kMaxLine = 16384;

// Terminal codes: ESC [ parameters letter. Everything else stays.
std::string without_colour(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\033') {
      result += text[i];
      continue;
    }
    if (i + 1 >= text.size() || text[i + 1] != '[') continue;
    i += 2;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) ++i;
  }
  return result;
}

// "I (123) tag: rest" to "rest"; the time may also be one of the day.
std::string_view without_prefix(std::string_view text) {
  constexpr std::string_view kLevels = "EWIDV";
  if (text.size() < 4 || kLevels.find(text[0]) == std::string_view::npos ||
      text.substr(1, 2) != " (") {
    return text;
  }
  const size_t time = text.find(") ");
  if (time > 32) return text;  // also where there is none
  const size_t tag = text.find(": ", time);
  return tag == std::string_view::npos ? text : text.substr(tag + 2);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

void read_lines(std::string_view text, MachineLines& machine, OlderLines& older) {
  int number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const bool whole = end != std::string_view::npos;
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(whole ? end + 1 : text.size());
    ++number;
    if (raw.size() > kMaxLine) continue;
    const std::string plain = without_colour(raw);
    const LogLine line{trimmed(without_prefix(trimmed(plain))), number, whole};
    machine.read(line);
    if (!machine.seen()) older.read(line);
  }
}

}  // namespace

void add_finding(DeviceLog& log, Severity severity, int line, std::string message) {
  if (log.findings.size() >= kMaxLogFindings) return;
  const std::string place = line > 0 ? "line " + std::to_string(line) : "";
  log.findings.push_back({severity, "", place, std::move(message), ""});
}

std::string_view take_word(std::string_view& text) {
  const size_t first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::optional<int64_t> to_integer(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (text.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::string_view DeviceLog::value(std::string_view key) const {
  const auto found =
      std::find_if(info.begin(), info.end(), [&](const LogInfo& one) { return one.key == key; });
  return found == info.end() ? std::string_view() : found->value;
}

const LogCheck* DeviceLog::first_failure() const {
  const LogCheck* first = nullptr;
  for (const LogCheck& check : checks) {
    if (check.passed) continue;
    if (first == nullptr || (first->node.empty() && !check.node.empty())) first = &check;
  }
  return first;
}

std::string DeviceLog::first_stage() const {
  const auto of_picture = [](const LogCheck& c) { return c.suite == "picture"; };
  if (std::none_of(checks.begin(), checks.end(), of_picture)) return "";
  const auto failed =
      std::find_if(checks.begin(), checks.end(), [](const LogCheck& c) { return !c.passed; });
  if (failed == checks.end()) return "";
  const std::string quoted = "'" + failed->name + "'";
  if (failed->suite == "picture") return "the picture";
  if (failed->suite == "input") return "the input tensor of " + quoted;
  if (failed->suite == "output" && !failed->node.empty()) {
    return "the operator '" + failed->node + "' of " + quoted;
  }
  if (failed->suite == "load") return "the model of " + quoted;
  return "the " + failed->suite + " " + quoted;
}

Result<DeviceLog> read_device_log(std::string_view text, const std::string& file) {
  const auto refused = [&](std::string what) {
    return Error(ErrorCode::device_log, std::move(what)).in_file(file);
  };
  if (text.size() > kMaxLogBytes) {
    return refused("the text has " + std::to_string(text.size()) + " bytes, the limit is " +
                   std::to_string(kMaxLogBytes));
  }
  // The lines of this application decide; where it ran, other lines only resemble the older form.
  DeviceLog log;
  DeviceLog older_log;
  older_log.form = DeviceLog::Form::older;
  MachineLines machine(log);
  OlderLines older(older_log);
  read_lines(text, machine, older);
  if (!machine.seen() && !older.seen()) {
    return refused("no line begins with EDGETWIN, and none is of the older validation program");
  }
  if (machine.seen()) {
    machine.finish();
  } else {
    older.finish();
  }
  DeviceLog& result = machine.seen() ? log : older_log;
  if (result.checks.size() >= kMaxLogChecks) {
    return refused("the log has 100,000 checks or more");
  }
  return std::move(result);
}

}  // namespace edgetwin::targets::espdl
