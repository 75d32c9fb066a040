// What the machine notices, and of whom.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/rule.h"

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

// Something that the machine noticed. One for each cause: `count` says how often.
struct MachineFinding {
  MachineEvent event{};
  Severity severity = Severity::note;
  std::string_view id;   // of the table events.def
  int layer = kNobody;   // number of the layer in the registers
  int other = kNobody;   // the other one: who wrote what is read here, whose data is overwritten
  uint32_t address = 0;  // of the first time; 0: none
  uint64_t step = 0;     // of the first time
  uint64_t count = 1;
  std::string message;  // a sentence with its numbers
};

}  // namespace edgetwin::max78
