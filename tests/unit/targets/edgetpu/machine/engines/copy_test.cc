// Copies between the two memories of a tile.
#include <gtest/gtest.h>

#include <cstring>

#include "unit/targets/edgetpu/machine/instructions.h"

namespace edgetwin::edgetpu::machine {
namespace {

// n2w puts 64 words into a line; w2n takes it and the two lines after it. Tensors that wait in wide
// memory are read so: the border that was stored last, then the rows after it.
TEST(EdgetpuMachineCopy, LinesAfterThoseThatN2wPutThereAreWhole) {
  Core core;
  for (uint32_t k = 0; k < 64; ++k) {
    const uint32_t value = 1000 + k;
    std::memcpy(core.tiles[0].narrow.data() + size_t{k} * 4, &value, 4);
    put_lane(core, 101, k, 0, 1064 + k);
    put_lane(core, 102, k, 0, 1128 + k);
  }
  Writer w;
  w.begin(Opcode::narrow_to_wide, 1)
      .path(GeneratorKind::words_read, 0, {{1, 64}})
      .path(GeneratorKind::lines_written, 100, {})
      .put(801, 3, 1);
  w.begin(Opcode::wide_to_narrow, 1)
      .path(GeneratorKind::lines, 100, {{1, 3}})
      .path(GeneratorKind::words_written, 512, {{1, 192}});
  ASSERT_TRUE(execute(core, w).ok());
  for (uint32_t k = 0; k < 192; ++k) {
    uint32_t value = 0;
    std::memcpy(&value, core.tiles[0].narrow.data() + (size_t{512} + k) * 4, 4);
    EXPECT_EQ(value, 1000 + k);
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu::machine
