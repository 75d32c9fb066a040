#include "base/text.h"

#include <gtest/gtest.h>

namespace edgetwin {
namespace {

TEST(EditDistance, CountsSingleCharacters) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("pad", "pad"), 0U);
  EXPECT_EQ(edit_distance("", "pad"), 3U);
  EXPECT_EQ(edit_distance("kernel_sise", "kernel_size"), 1U);
  EXPECT_EQ(edit_distance("abc", "axcd"), 2U);
}

TEST(HexNumber, HasNoZerosInFront) {
  EXPECT_EQ(hex_number(0), "0x0");
  EXPECT_EQ(hex_number(0x2a), "0x2a");
  EXPECT_EQ(hex_number(~uint64_t{0}), "0xffffffffffffffff");
}

}  // namespace
}  // namespace edgetwin
