// What a chip printed, read back: the lines of the application of firmware.h, or those of the older
// validation program for tables that people have logs of. docs/firmware.md, "The log".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/finding.h"
#include "base/result.h"

namespace edgetwin::targets::espdl {

struct LogCheck {
  std::string suite;  // "load", "output", "lut", "node"; "layer" in older logs
  std::string name;   // of the case; "case/output" for outputs
  bool passed = false;
  int64_t compared = 0;  // of passed checks; 0 in older logs, which do not say
  // Of failed ones; the first mismatch is not known where `has_first` is false.
  bool has_first = false;
  int64_t first = 0;
  int64_t hw = 0;   // the chip's integer
  int64_t sim = 0;  // the expected one
  int64_t count = 0;
  std::string node;    // the first operator that differs, where the chip found out
  std::string reason;  // a word where something else than elements differs: "not-loaded"
  int line = 0;        // 1-based
};

struct LogInfo {
  std::string key;
  std::string value;
  int line = 0;
};

struct DeviceLog {
  enum class Form : uint8_t { edgetwin, older };
  enum class Verdict : uint8_t {
    pass,
    fail,        // at least one check failed, whether or not the log is whole
    incomplete,  // nothing failed, but the log does not show that all was run
  };

  Form form = Form::edgetwin;
  Verdict verdict = Verdict::incomplete;
  bool has_summary = false;  // in older logs: the line that says it has finished
  int starts = 0;            // how often the chip began; everything else is about the last time
  std::vector<LogInfo> info;
  std::vector<LogCheck> checks;
  std::vector<Finding> findings;  // damaged lines (place "line 12"), restarts, what is missing

  // Of the last run; "" if it was not printed.
  std::string_view value(std::string_view key) const;
  // The first failed check, and among them one that names an operator first; null if none failed.
  const LogCheck* first_failure() const;
  // Where a picture went through the networks, the first stage that parts: "the picture", "the
  // input tensor of 'net'", "the operator 'conv_7' of 'net'", "the output 'net/scores'", "the
  // result 'net/boxes'"; "" if none does, or the log is of networks alone.
  std::string first_stage() const;
};

inline constexpr size_t kMaxLogBytes = size_t{64} << 20;
inline constexpr size_t kMaxLogChecks = 100'000;

// Any bytes: colours, prefixes "I (123) tag: ", CR LF, other programs' lines and a last line that
// is cut off are all expected. `file` is used in errors only. Error: device_log where the text is
// larger than kMaxLogBytes, has more than kMaxLogChecks checks, or shows none of both programs.
Result<DeviceLog> read_device_log(std::string_view text, const std::string& file);

}  // namespace edgetwin::targets::espdl
