// A model that is one table, over every integer that its input can hold.
#pragma once

#include "cases.hpp"
#include "dl_model_base.hpp"
#include "report.hpp"

namespace check {

void run_sweep(dl::Model& model, const Case& wanted, const Golden& golden, Report& report);

}  // namespace check
