// The four ways from a tile to its neighbour over the mesh.
#pragma once

#include "targets/edgetpu/isa/counters.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::compiler {

// What it counts that came and that left, its engine's bit, and which two of eight words other
// tiles' words go through two at a time, where the vendor's compiler has it so.
struct Way {
  Opcode opcode = Opcode::move_left;
  TileCounter in = TileCounter::e_in, out = TileCounter::w_out;
  uint32_t engine = 0x80;
  int64_t passing = 4;
};
inline constexpr Way kLeft{},
    kRight{Opcode::move_right, TileCounter::w_in, TileCounter::e_out, 0x200, 6},
    kUp{Opcode::move_up, TileCounter::s_in, TileCounter::n_out, 0x100, 0},
    kDown{Opcode::move_down, TileCounter::n_in, TileCounter::s_out, 0x40, 2};

}  // namespace edgetwin::edgetpu::compiler
