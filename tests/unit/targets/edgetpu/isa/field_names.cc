// Compiled only to see what the compiler says; see tests/CMakeLists.txt.
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

uint64_t header_start(const Instruction& i) {
#ifdef EDGETWIN_MISSPELT
  return i.get("header.strat");
#else
  return i.get("header.start");
#endif
}

uint16_t header_bit() {
#ifdef EDGETWIN_OTHER_OPCODE
  return opcode_field(Opcode::tensor, "header.start").bit;
#else
  return opcode_field(Opcode::ring_receive, "header.start").bit;
#endif
}

}  // namespace edgetwin::edgetpu
