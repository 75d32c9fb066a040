// The groups of rules that check_plan goes through; each adds findings.
#pragma once

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

// All of them but the last.
void check_plan(Findings& findings, const HardwarePlan& plan);

void check_options(Findings& findings, const HardwarePlan& plan);
void check_fifo(Findings& findings, const HardwarePlan& plan);
void check_device(Findings& findings, const HardwarePlan& plan, const HardwareLayer& layer);
void check_operator(Findings& findings, const HardwarePlan& plan, const HardwareLayer& layer);
void check_processors(Findings& findings, const HardwarePlan& plan, const HardwareLayer& layer);
void check_sources(Findings& findings, const HardwarePlan& plan, const HardwareLayer& layer);
void check_memory(Findings& findings, const HardwarePlan& plan, const HardwareLayer& layer);
void check_biases(Findings& findings, const HardwarePlan& plan, const HardwareLayer& layer);
void check_streaming(Findings& findings, const HardwarePlan& plan);
void check_overlap(Findings& findings, const HardwarePlan& plan);
// After kernels are placed.
void check_registers(Findings& findings, const Plan& plan);

}  // namespace edgetwin::max78
