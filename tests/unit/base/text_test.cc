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

}  // namespace
}  // namespace edgetwin
