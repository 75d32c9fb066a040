#pragma once

#include <string>

namespace edgetwin::edgetpu {

// docs/edgetpu-isa.md: opcodes, fields, operations of the scalar core, the form of listings, rules.
std::string isa_markdown();

}  // namespace edgetwin::edgetpu
