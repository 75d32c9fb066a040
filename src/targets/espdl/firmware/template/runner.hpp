// One case from its model and golden data to its lines.
#pragma once

#include "cases.hpp"
#include "report.hpp"

namespace check {

void run_case(const Case& wanted, Report& report);

}  // namespace check
