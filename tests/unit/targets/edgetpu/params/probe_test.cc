#include "targets/edgetpu/params/probe.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

BlockShape dense(int out, int in, int kernel = 1) {
  BlockShape s;
  s.out = out;
  s.in = in;
  s.kernel_h = s.kernel_w = kernel;
  s.has_scale = s.has_zero = true;
  return s;
}

TEST(Probe, EveryWeightHasAByteOfItsOwnAndBack) {
  for (const BlockShape& s : {dense(6, 5), dense(70, 8), dense(3, 9, 3)}) {
    const BlockMap map(s);
    size_t weights = 0;
    for (size_t offset = 0; offset < static_cast<size_t>(s.bytes()); ++offset) {
      const ByteMeaning m = map.at(offset);
      EXPECT_EQ(to_text(m), to_text(meaning_of(s, offset)));
      if (m.kind != ByteMeaning::Kind::weight) continue;
      ++weights;
      const auto back = offset_of(s, m.place);
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(*back, offset);
    }
    EXPECT_EQ(weights, static_cast<size_t>(s.weights()));
  }
}

// Rows of 64 outputs after a header of scales and zero points: the formula of
// docs/edgetpu-params.md.
TEST(Probe, SquareMatricesFollowTheKnownFormula) {
  const BlockShape s = dense(128, 128);
  for (const WeightPlace p : {WeightPlace{0, 0, 0, 0}, WeightPlace{3, 0, 0, 5},
                              WeightPlace{64, 0, 0, 0}, WeightPlace{127, 0, 0, 127}}) {
    const int block = p.out / 64 * (512 + 64 * 128);
    EXPECT_EQ(*offset_of(s, p),
              static_cast<size_t>(block + 512 + p.in / 4 * 256 + p.out % 64 * 4 + p.in % 4));
  }
  EXPECT_FALSE(offset_of(s, {128, 0, 0, 0}).ok());
  EXPECT_FALSE(offset_of(s, {0, 1, 0, 0}).ok());
  EXPECT_EQ(to_text(meaning_of(s, 0)), "scale of channel 0, byte 0");
  EXPECT_EQ(to_text(meaning_of(s, 256)), "zero point of channel 0, byte 0");
}

TEST(Probe, Matrices) {
  const auto at = [](const Tensor& t, size_t out, size_t in) {
    return static_cast<int>(static_cast<int8_t>(t.data[out * 4 + in]));
  };
  const auto plus = probe_matrix("shift_plus1", 4, 127, {});
  ASSERT_TRUE(plus.ok());
  EXPECT_EQ(at(*plus, 1, 0), 127);
  EXPECT_EQ(at(*plus, 0, 3), 127);
  EXPECT_EQ(at(*plus, 0, 0), 0);
  EXPECT_EQ(at(*probe_matrix("shift_minus1", 4, -5, {}), 0, 1), -5);
  EXPECT_EQ(at(*probe_matrix("identity", 4, 1, {}), 2, 2), 1);
  EXPECT_EQ(at(*probe_matrix("single_hot", 4, 9, {2, 0, 0, 3}), 2, 3), 9);
  EXPECT_FALSE(probe_matrix("single_hot", 4, 9, {4, 0, 0, 3}).ok());
  EXPECT_FALSE(probe_matrix("nonsense", 4, 9, {}).ok());
}

}  // namespace
}  // namespace edgetwin::edgetpu
