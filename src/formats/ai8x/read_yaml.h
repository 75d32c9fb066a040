// Reading a network description.
#pragma once

#include <string>
#include <string_view>

#include "formats/ai8x/network.h"

namespace edgetwin::ai8x {

// All findings of the text at once, each with line and column; the network only if there is no
// error. `file` is used in messages. Every rule of the specification's chapter 1 is checked; what
// depends on sizes, weights or the memory map is left to the target.
// Whether each layer must say its processors, or a planner gives them where they are missing.
enum class Maps : uint8_t { needed, planned };
NetworkReading read_network_report(std::string_view yaml, const std::string& file, Device device,
                                   Maps maps = Maps::needed);

// The same for callers that want the network or the first error; the number of further errors is
// added to its details.
Result<Network> read_network(std::string_view yaml, const std::string& file, Device device);

// True for a text that looks like a network description: it has a line that begins with "layers:".
bool looks_like_network(std::string_view text);

}  // namespace edgetwin::ai8x
