// EdgetpuCompileOptions::like_vendor.
#include <gtest/gtest.h>

#include "edgetwin/compile.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/synthesize/synthesize.h"

namespace edgetwin {
namespace {

Bytes file_of(const edgetpu::Member& member) {
  const auto model = edgetpu::model_of(member);
  EXPECT_TRUE(model.ok());
  const auto file = tflite::write(*model);
  EXPECT_TRUE(file.ok());
  return file.ok() ? *file : Bytes();
}

TEST(EdgetpuLike, ADenseLayerWithTheVendorsWaitsIsShownWithTheTrueWords) {
  edgetpu::Member member;
  member.size = 256;
  const Bytes network = file_of(member);
  EdgetpuCompileOptions options;
  options.inputs = 1;
  const auto own = compile_edgetpu(network, "dense.tflite", options);
  ASSERT_TRUE(own.ok()) << to_text(own.error());
  EXPECT_FALSE(own->vendor_equal);
  EXPECT_EQ(own->groups.at(0).short_lines, 0u);
  options.like_vendor = true;
  const auto like = compile_edgetpu(network, "dense.tflite", options);
  ASSERT_TRUE(like.ok()) << to_text(like.error());
  EXPECT_TRUE(like->proven);
  EXPECT_TRUE(like->vendor_equal);
  EXPECT_GT(like->groups.at(0).short_lines, 0u);
  EXPECT_NE(like->proof.find("short lines"), std::string::npos);
}

TEST(EdgetpuLike, IsRefusedWhereItChangesNothing) {
  edgetpu::Member member;
  member.family = edgetpu::Family::conv3x3;
  member.height = 8, member.width = 72, member.channels = 32;
  EdgetpuCompileOptions options;
  options.like_vendor = true;
  const auto made = compile_edgetpu(file_of(member), "conv.tflite", options);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::usage);
}

}  // namespace
}  // namespace edgetwin
