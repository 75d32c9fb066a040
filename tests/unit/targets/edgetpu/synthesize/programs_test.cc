#include "base/sha256.h"

#include <gtest/gtest.h>

#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/synthesize/synthesize.h"

namespace edgetwin::edgetpu {
namespace {

Member dense(int size, int in_zero, float scale, int out_zero) {
  Member m;
  m.size = size;
  m.input_zero_point = in_zero;
  m.output_scale = scale;
  m.output_zero_point = out_zero;
  return m;
}

Member conv(int height, int width, int channels, int in_zero, float scale, int out_zero) {
  Member m = dense(0, in_zero, scale, out_zero);
  m.family = Family::conv3x3;
  m.height = height;
  m.width = width;
  m.channels = channels;
  return m;
}

// Of its program for inferences (0), of the one that loads parameters (1).
std::string digest(const Member& member, size_t executable = 0) {
  const auto model = model_of(member);
  EXPECT_TRUE(model.ok());
  const auto made = synthesize(*model);
  EXPECT_TRUE(made.ok()) << to_text(made.error());
  return made.ok() ? sha256_hex(made->package.executables.at(executable).bitstreams.at(0).data)
                   : "";
}

// SHA-256 of bitstreams in public compiled models: dense_256_edgetpu.tflite of LibrEdgeTPU, the
// others of coral-usb-oxidized's templates.
TEST(EdgetpuPrograms, EqualTheCompilersStreams) {
  const Member d = dense(256, 127, 0.01904885843396187F, 129);
  EXPECT_EQ(digest(d, 1), "f801dadfbd170b865f629986bed4e94914759c35436da1cf16e163b65e48be0d");
  EXPECT_EQ(digest(d), "bff10c8c60b03d5be26ddf69c4290bc8deb13293f4f3424894f6854e88e3ec1a");
  const Member c64 = conv(12, 176, 64, 127, 0.3486064672470093F, 124);
  EXPECT_EQ(digest(c64, 1), "d3072a78595f4328c385da99b1973fdc9c5f74c7b566e593717a27ad67544f75");
  EXPECT_EQ(digest(c64), "82e8d4c88fdef8043fc400aad75867f98bfbfa4e530bb6f5ff356c90ea4f7670");
  EXPECT_EQ(digest(conv(12, 176, 128, 127, 0.48862916231155396F, 131)),
            "56c498e6d299602315099de4e472d6bab0f617a3d4cc102809ac354b312081f8");
  EXPECT_EQ(digest(conv(8, 72, 32, 128, 0.23297379910945892F, 139)),
            "507e440cd83450d9a6f2376ba9f351f9416221ba6b84f42db508384df61ae356");
  EXPECT_EQ(digest(conv(8, 104, 128, 127, 0.45649152994155884F, 132)),
            "efec31127c2750fb826c2cb9e65820bb3d0f06c6970b0aa56478b6f2358e4197");
  EXPECT_EQ(digest(conv(12, 160, 32, 127, 0.23126663267612457F, 130)),
            "d77d6eafd2e5db47cbc3394e1d812518299248919265bd5f5356106eabe06591");
  // The widest of its program, where the lines of scales and zero points move 64 lines on.
  const Member widest = conv(12, 168, 32, 127, 0.23968778550624847F, 119);
  EXPECT_EQ(digest(widest), "2c050814c5d0f8724c85d6f08aad21d0d12ae6bfcd5acefb5024e1c5bc22d1f0");
  EXPECT_EQ(standing_of_execution(widest), Standing::compared);
}

TEST(EdgetpuPrograms, EveryMemberPassesTheChecks) {
  std::vector<Member> members;
  for (int n = 64; n <= 1536; n += 64) members.push_back(dense(n, 3, 0.5F, 128));
  for (int width = 70; width <= 192; width += 11) {
    for (const int c : {32, 48, 128}) members.push_back(conv(8, width, c, 128, 0.25F, 100));
  }
  for (int height = 5; height <= 128; height += 7) {
    members.push_back(conv(height, 16, 64, 128, 0.25F, 100));
  }
  for (const Member& member : members) {
    const auto model = model_of(member);
    ASSERT_TRUE(model.ok()) << text(member);
    const auto made = synthesize(*model);
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    for (const darwinn::Executable& e : made->package.executables) {
      const auto findings = check_bitstream(e.bitstreams.at(0), text(member));
      EXPECT_TRUE(findings.empty()) << text(member) << ": " << findings.front().message;
    }
  }
}

TEST(EdgetpuPrograms, WhatCannotBeMadeIsRefusedWithTheReason) {
  const auto why = [](const Member& m) {
    const auto model = model_of(m);
    if (!model.ok()) return model.error().message;
    const auto made = synthesize(*model);
    return made.ok() ? std::string() : made.error().message;
  };
  EXPECT_EQ(why(dense(256, 0, 1, 0)), "");
  EXPECT_EQ(why(dense(300, 0, 1, 0)), "");
  EXPECT_EQ(why(conv(8, 70, 64, 0, 1, 0)), "");
  EXPECT_EQ(why(conv(16, 64, 96, 0, 1, 0)), "");
  EXPECT_NE(why(dense(4096, 0, 1, 0)).find("weights do not fit"), std::string::npos);
  EXPECT_NE(why(conv(400, 400, 128, 0, 1, 0)).find("bytes"), std::string::npos);
  EXPECT_NE(why(conv(0, 0, 64, 0, 1, 0)).find("a size is 0"), std::string::npos);
}

TEST(EdgetpuPrograms, StandingIsThatOfTheSize) {
  const auto conv_of = [](int h, int w, int c) { return conv(h, w, c, 0, 1, 0); };
  EXPECT_EQ(standing_of_execution(dense(1024, 0, 1, 0)), Standing::compared);
  EXPECT_EQ(standing_of_execution(dense(512, 0, 1, 0)), Standing::inside);
  EXPECT_EQ(standing_of_execution(dense(320, 0, 1, 0)), Standing::beyond);
  EXPECT_EQ(standing_of_execution(conv_of(12, 176, 32)), Standing::compared);
  EXPECT_EQ(standing_of_execution(conv_of(8, 84, 64)), Standing::inside);
  EXPECT_EQ(standing_of_execution(conv_of(8, 72, 96)), Standing::beyond);
  EXPECT_EQ(standing_of_execution(conv_of(16, 72, 64)), Standing::beyond);
}

}  // namespace
}  // namespace edgetwin::edgetpu
