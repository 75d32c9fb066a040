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

TEST(Base64, GivesTheBytes) {
  EXPECT_EQ(*from_base64(""), Bytes());
  EXPECT_EQ(as_text(*from_base64("TWFu")), "Man");
  EXPECT_EQ(as_text(*from_base64("TWE=")), "Ma");
  EXPECT_EQ(as_text(*from_base64("TQ==")), "M");
  EXPECT_EQ(*from_base64("/+8="), (Bytes{std::byte{0xff}, std::byte{0xef}}));
}

TEST(Base64, RefusesOtherText) {
  for (const char* text : {"TWF", "TW=u", "TQ==TWFu", "T!Fu"}) {
    const auto bytes = from_base64(text);
    ASSERT_FALSE(bytes.ok()) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::bad_value);
  }
}

}  // namespace
}  // namespace edgetwin
