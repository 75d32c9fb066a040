// A bitstream in the making, instruction by instruction. The programs are tables (programs/*.def):
//
//   BLOCK(name, repeat) … END_BLOCK   instructions that are repeated; j counts the repetitions
//   OP(opcode, hex)                   the next instruction: the bits that never change, from the
//                                     first byte on; zeros at its end are left out
//   LAW(field, bit, width, value)     a field of this instruction as a function of the layer's
//                                     sizes, modulo 2^width; `field` is its name in isa.def, or
//                                     empty where nobody knows what the bits are called
//   ADDRESS(base, position)           the driver writes half an address into this instruction
//
// Two things are no part of the tables: operations number themselves, and the first instruction
// holds the length of the program.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

class Emitter {
 public:
  void op(Opcode opcode, std::string_view hex);
  void law(unsigned bit, unsigned width, int64_t value);
  // Input and output buffers carry the name of their layer.
  void address(darwinn::BaseAddress base, darwinn::Position position, const std::string& name);

  // The program so far, with its length in the first instruction. The emitter is empty then.
  darwinn::Bitstream finish();

 private:
  darwinn::Bitstream stream_;
  size_t begin_ = 0;  // of the current instruction, in bytes
  uint64_t operations_ = 0;
};

}  // namespace edgetwin::edgetpu
