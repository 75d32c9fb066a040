#include "signals/keywords/waveform.h"

#include <gtest/gtest.h>

namespace edgetwin::signals {
namespace {

TEST(Waveform, RoundsHalfToEvenAndCutsOff) {
  auto t = Tensor::zeros(DType::int8, {128, 128, 1});
  ASSERT_TRUE(t.ok());
  // 0.5 / 128 and 1.5 / 128 are ties; the largest of 16 bits would be 256.
  const std::vector<float> samples = {-1.0F, 0.0F, 0.5F / 128, 1.5F / 128, 32767.0F / 32768, -2.0F};
  fill_waveform(samples, *t);
  const int wanted[] = {-128, 0, 0, 2, 127, -128, 0};
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(t->as<int8_t>()[i * 128], wanted[i]) << i;
}

TEST(Waveform, Stands128ByChannel) {
  auto t = Tensor::zeros(DType::int8, {128, 128});
  ASSERT_TRUE(t.ok());
  std::vector<float> samples(kWaveformSamples);
  for (size_t i = 0; i < samples.size(); ++i) {
    samples[i] = static_cast<float>(static_cast<int>(i % 251) - 125) / 128.0F;
  }
  fill_waveform(samples, *t);
  for (const size_t i : {size_t{0}, size_t{127}, size_t{128}, size_t{5000}, size_t{16383}}) {
    EXPECT_EQ(t->as<int8_t>()[i % 128 * 128 + i / 128], static_cast<int>(i % 251) - 125);
  }
  EXPECT_TRUE(is_waveform({128, 128}));
  EXPECT_TRUE(is_waveform({128, 128, 1}));
  EXPECT_FALSE(is_waveform({128, 128, 3}));
  EXPECT_FALSE(is_waveform({64, 128}));
}

}  // namespace
}  // namespace edgetwin::signals
