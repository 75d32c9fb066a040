// Registers by the words of a user: "scu_ctrl_3", "scu_ctrl_3.force_sleep", "0x1a318".
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "targets/edgetpu/device/register_port.h"

namespace edgetwin::edgetpu {

struct RegisterWord {
  BitField field;  // the whole register, or one of its fields
  bool whole = true;
  bool writes = false;  // "name=value"
  uint64_t value = 0;   // what is written
};

// Errors: bad_value where there is no such register or field, or the value does not fit.
Result<RegisterWord> parse_register(std::string_view word);

// Writes what the word says, else reads; the value that the register or field has afterwards.
// Errors: those of RegisterPort.
Result<uint64_t> access_register(RegisterPort& port, const RegisterWord& word);

// Whether reading it while the chip sleeps would hang: those of the tiles and the scalar core.
bool needs_awake_chip(Reg reg);
Result<bool> chip_sleeps(RegisterPort& port);

}  // namespace edgetwin::edgetpu
