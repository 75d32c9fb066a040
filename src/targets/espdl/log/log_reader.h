// The two forms of lines, each with the state that it needs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/espdl/log/log.h"

namespace edgetwin::targets::espdl {

inline constexpr size_t kMaxLogFindings = 100;

struct LogLine {
  std::string_view text;  // without colour, prefix and line end
  int number = 0;
  bool whole = true;  // ends in a line end
};

// Keeps the first kMaxLogFindings.
void add_finding(DeviceLog& log, Severity severity, int line, std::string message);

// The next word, taken from the front of `text`; "" at the end.
std::string_view take_word(std::string_view& text);
std::optional<int64_t> to_integer(std::string_view text);

// Lines with EDGETWIN.
class MachineLines {
 public:
  explicit MachineLines(DeviceLog& log) : log_(log) {}
  bool seen() const { return seen_; }
  void read(const LogLine& line);
  void finish();  // decides the verdict

 private:
  void read_info(std::string_view rest, const LogLine& line);
  void read_summary(std::string_view rest, const LogLine& line);
  void read_check(std::string_view suite, std::string_view rest, const LogLine& line);
  void damaged(const LogLine& line, std::string_view what);
  void restart(const LogLine& line);

  DeviceLog& log_;
  bool seen_ = false;
  bool damaged_ = false;
  bool summary_passed_ = false;
  int64_t summary_checks_ = 0, summary_failed_ = 0;
};

// Lines of the older program.
class OlderLines {
 public:
  explicit OlderLines(DeviceLog& log) : log_(log) {}
  bool seen() const { return seen_; }
  void read(const LogLine& line);
  void finish();

 private:
  bool read_verdict(const LogLine& line);
  void read_mismatch(const LogLine& line);
  LogCheck& current(const LogLine& line);

  DeviceLog& log_;
  bool seen_ = false;
  bool open_ = false;  // the last check has no verdict yet
};

}  // namespace edgetwin::targets::espdl
