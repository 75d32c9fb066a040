// Accesses as statements of C.
#include "targets/max78/project/project_parts.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {

using Kind = Access::Kind;

std::string rtl_line(const std::string& text) { return "  " + text + "\n"; }

std::string rtl_memory(uint32_t address) {
  return "*((volatile uint32_t *) " + hex_text(address) + ")";
}

std::string rtl_statement(const Access& a) {
  switch (a.kind) {
    case Kind::write:
      return rtl_memory(a.address) + " = " + hex_text(a.value) + ";";
    case Kind::write_byte:
      return "*((volatile uint8_t *) " + hex_text(a.address) + ") = " + hex_text(a.value, 2) + ";";
    case Kind::set_bits:
      return rtl_memory(a.address) + " |= " + hex_text(a.value) + ";";
    case Kind::keep_bits:
      return rtl_memory(a.address) + " &= " + hex_text(a.value) + ";";
    case Kind::wait:
      return "while ((" + rtl_memory(a.address) + " & " + hex_text(a.mask) +
             ") != " + hex_text(a.value) + ") ;";
    case Kind::check:
      return a.mask == 0xffffffffU ? "if (" + rtl_memory(a.address) + " != " + hex_text(a.value) +
                                         ") return CNN_FAIL;"
                                   : "if ((" + rtl_memory(a.address) + " & " + hex_text(a.mask) +
                                         ") != " + hex_text(a.value) + ") return CNN_FAIL;";
    case Kind::read:
      return "(void) " + rtl_memory(a.address) + ";";
    case Kind::idle:
      return "asm volatile(\"nop\");";
    case Kind::poll:
    case Kind::fifo:
    case Kind::camera:
      break;
  }
  return {};
}

}  // namespace edgetwin::max78
