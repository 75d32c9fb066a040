// Changes of what orders a program, planted one at a time: does the check find them?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"

namespace edgetwin::edgetpu::sync {

enum class FaultOutcome : uint8_t {
  race,        // accesses that nothing orders
  standstill,  // the program does not end, or its queues are cut short
  bytes,       // it ends with other bytes
  same,        // waits and counts as before at every place: levels of one pass
  later,       // asks for as much or more and counts as much or less: costs time, and is no fault
  // Asks for less or counts more, and yet counters order every access: no order that was tried
  // differs, those included in which the engine that waits hurries or the one that counts is late.
  implied,
  missed  // such an order differs, and neither clocks nor the first three orders said so
};
std::string_view name(FaultOutcome outcome);

struct PlantedFault {
  std::string what;   // "threshold one lower"
  std::string place;  // the instruction and the wait or the producer
  FaultOutcome outcome = FaultOutcome::missed;
};

// `number` places, drawn by `seed` from the program for inferences. Errors: those of SyncMachine
// for the unchanged program.
Result<std::vector<PlantedFault>> plant_faults(const darwinn::Package& package,
                                               const std::vector<ByteSpan>& inputs, size_t number,
                                               uint64_t seed);

}  // namespace edgetwin::edgetpu::sync
