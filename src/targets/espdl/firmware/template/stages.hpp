// What stands before and after the networks: nothing, or a picture and what is found in it.
#pragma once

#include "dl_model_base.hpp"
#include "golden.hpp"
#include "report.hpp"

namespace check {

// The picture itself, before any network.
void open_picture(Report& report);
// Before the model goes away.
void leave_model();
// The input tensor of case `index`, as the chip makes it.
void before_run(dl::Model& model, size_t index, const Golden& golden, Report& report);
// What is found in its outputs.
void after_run(dl::Model& model, size_t index, Report& report);

}  // namespace check
