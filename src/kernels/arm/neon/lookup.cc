// One instruction looks up 64 entries: the table is four of them. An index beyond the 64 leaves
// what was found before.
#include <arm_neon.h>

#include "kernels/arm/tables.h"

namespace edgetwin::kernels {

std::size_t lookup8_neon(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count) {
  const uint8x16x4_t rows[4] = {vld1q_u8_x4(table), vld1q_u8_x4(table + 64),
                                vld1q_u8_x4(table + 128), vld1q_u8_x4(table + 192)};
  std::size_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const uint8x16_t x = vld1q_u8(in + i);
    uint8x16_t y = vqtbl4q_u8(rows[0], x);
    y = vqtbx4q_u8(y, rows[1], vsubq_u8(x, vdupq_n_u8(64)));
    y = vqtbx4q_u8(y, rows[2], vsubq_u8(x, vdupq_n_u8(128)));
    y = vqtbx4q_u8(y, rows[3], vsubq_u8(x, vdupq_n_u8(192)));
    vst1q_u8(out + i, y);
  }
  return i;
}

}  // namespace edgetwin::kernels
