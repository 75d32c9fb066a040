// Networks that entries of an index mean without naming a description.
#pragma once

#include <optional>
#include <string_view>

namespace edgetwin::train {

// The four layers of the recorded training runs: 2 x 8 x 8 inputs.
extern const std::string_view kTraceNetwork;
// By `arch` of a checkpoint: the vendor's two networks for handwritten digits (28 x 28).
std::optional<std::string_view> known_description(std::string_view arch);

}  // namespace edgetwin::train
