// What the planner chooses by, as constants; see limits.def.
#pragma once

#include <cstdint>

namespace edgetwin::edgetpu::compiler::limits {

#define LIMIT(name, type, value, unit, evidence, origin) inline constexpr type name = value;
#include "targets/edgetpu/compile/plan/limits.def"
#undef LIMIT

}  // namespace edgetwin::edgetpu::compiler::limits
