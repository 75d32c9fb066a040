// Machine and graph side by side: every word that a layer writes against what the network computes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "targets/max78/hardware/hardware.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::max78 {

struct LayerAgreement {
  int layer = 0;     // of the network
  int hw_layer = 0;  // of the registers
  uint64_t values = 0, different = 0;
  // The first value that differs.
  int channel = -1, row = 0, column = 0;
  int64_t machine = 0, graph = 0;
  std::optional<int64_t> accumulator;
  uint32_t address = 0;
  // Whose words it read, "layer 3: 400 words, the processor: 4 words".
  std::string inputs;
  bool equal() const { return different == 0; }
};

struct SideBySide {
  std::vector<LayerAgreement> layers;  // in the order of execution
  // The first layer that differs; -1: none.
  int first = -1;
};

// Plays the program. `layers`: the simulation's results of every layer (SimulationOptions::trace).
// Errors: those of play().
Result<SideBySide> run_side_by_side(const ProgramText& program, Machine& machine,
                                    const HardwarePlan& plan, std::span<const LayerResult> layers);

}  // namespace edgetwin::max78
