// Messages of a library that never prints: whoever runs it hands in a sink.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace edgetwin {

enum class Severity : uint8_t { note, warning, error };

// What a check, a reader or a run has to say without failing.
struct Finding {
  Severity severity = Severity::note;
  std::string id;     // a rule of the target or an error id; may be empty
  std::string place;  // operator or tensor in the user's words
  std::string message;
  std::string hint;
};

// Receives progress in [0, 1] with the name of the step.
using ProgressSink = std::function<void(double fraction, std::string_view step)>;

}  // namespace edgetwin
