// Tables of bytes on every instruction set, over all lengths around a vector.
#include "kernels/i8/lookup.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/rng.h"

namespace edgetwin::kernels {
namespace {

TEST(Lookup8, EqualsTheTable) {
  XorShift32 random(7);
  std::vector<uint8_t> table(256);
  for (uint8_t& t : table) t = random.byte();
  for (const Isa isa : available_isas()) {
    for (size_t count = 0; count < 300; ++count) {
      std::vector<uint8_t> in(count);
      for (uint8_t& b : in) b = random.byte();
      std::vector<uint8_t> out(count + 1, 0xAA);
      lookup8(table.data(), in.data(), out.data(), count, isa);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(out[i], table[in[i]]) << name(isa) << " " << count << " " << i;
      }
      EXPECT_EQ(out[count], 0xAA);
      lookup8(table.data(), in.data(), in.data(), count, isa);
      out.pop_back();
      EXPECT_EQ(in, out) << "in place, " << name(isa);
    }
  }
}

TEST(Lookup8, TakesEveryByte) {
  std::vector<uint8_t> all(256);
  std::iota(all.begin(), all.end(), 0);
  std::vector<uint8_t> table(256);
  for (size_t i = 0; i < 256; ++i) table[i] = static_cast<uint8_t>(255 - i);
  for (const Isa isa : available_isas()) {
    std::vector<uint8_t> out(256);
    lookup8(table.data(), all.data(), out.data(), 256, isa);
    EXPECT_EQ(out, table) << name(isa);
  }
}

}  // namespace
}  // namespace edgetwin::kernels
