// What the machine notices, and about which layer.
#pragma once

#include <cstdint>

namespace edgetwin::max78 {

// Who did something: a layer of the registers, or the processor outside.
inline constexpr int kNobody = -1;     // nobody yet
inline constexpr int kHost = -2;       // the processor, by the bus
inline constexpr int kFifoInput = -3;  // the processor, through a FIFO

enum class MachineEvent : uint8_t {
#define RULE(name, ...) name,
#include "targets/max78/machine/state/events.def"
#undef RULE
};

}  // namespace edgetwin::max78
