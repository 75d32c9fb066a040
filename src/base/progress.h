// How far a long computation is. A library never prints: the caller hands in a sink.
#pragma once

#include <functional>
#include <string_view>

namespace edgetwin {

// Receives progress in [0, 1] with the name of the step.
using ProgressSink = std::function<void(double fraction, std::string_view step)>;

}  // namespace edgetwin
