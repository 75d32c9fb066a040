// The groups of rules that check_plan goes through; each adds findings to the plan.
#pragma once

#include "targets/max78/network/plan.h"

namespace edgetwin::max78 {

// All of them but the last.
void check_plan(Plan& plan);

void check_options(Plan& plan);
void check_fifo(Plan& plan);
void check_device(Plan& plan, const LayerPlan& layer);
void check_operator(Plan& plan, const LayerPlan& layer);
void check_processors(Plan& plan, const LayerPlan& layer);
void check_sources(Plan& plan, const LayerPlan& layer);
void check_memory(Plan& plan, const LayerPlan& layer);
void check_biases(Plan& plan, const LayerPlan& layer);
void check_streaming(Plan& plan);
void check_overlap(Plan& plan);
// After kernels are placed.
void check_registers(Plan& plan);

}  // namespace edgetwin::max78
