// What an ONNX file is recognised by.
#include <gtest/gtest.h>

#include "formats/onnx/import/onnx.h"

namespace edgetwin::onnx {
namespace {

TEST(LooksLikeOnnx, NeedsAVersionAndAGraph) {
  const auto looks = [](std::string_view s) { return looks_like_onnx(as_byte_span(s)); };
  EXPECT_TRUE(looks({"\x08\x08\x3a\x06graph!", 10}));
  EXPECT_TRUE(looks({"\x08\x08\x12\x02me\x3a\x06graph!", 14}));
  EXPECT_FALSE(looks({"\x3a\x06graph!", 8})) << "no version";
  EXPECT_FALSE(looks({"\x08\x08", 2})) << "no graph";
  EXPECT_FALSE(looks({"\x08\x00\x3a\x06graph!", 10})) << "version 0";
  EXPECT_FALSE(looks({"\x08\x08\x12\x7fme", 6})) << "a text longer than the file";
  EXPECT_FALSE(looks(""));
  EXPECT_FALSE(looks("PK\x03\x04"));
}

}  // namespace
}  // namespace edgetwin::onnx
