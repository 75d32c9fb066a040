// Any bytes as a chip's log: checks or an error, and never a pass that the text does not state.
#include <algorithm>
#include <cstdlib>

#include "targets/espdl/log/log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace edgetwin::targets::espdl;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto log = read_device_log(text, "fuzz");
  if (!log.ok()) return 0;
  const bool failed = std::any_of(log->checks.begin(), log->checks.end(),
                                  [](const LogCheck& check) { return !check.passed; });
  if (log->verdict == DeviceLog::Verdict::pass) {
    if (failed || log->checks.empty() || !log->has_summary) std::abort();
    if (log->form == DeviceLog::Form::edgetwin &&
        text.find("summary PASS") == std::string_view::npos &&
        text.find('\033') == std::string_view::npos && text.find("  ") == std::string_view::npos) {
      std::abort();
    }
  }
  if ((log->first_failure() != nullptr) != failed) std::abort();
  if (log->findings.size() > 100) std::abort();
  return 0;
}
