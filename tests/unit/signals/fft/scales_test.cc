#include "signals/fft/scales.h"

#include <gtest/gtest.h>

#include <cmath>

namespace edgetwin::signals {
namespace {

TEST(FftScales, ByFormula) {
  FftOptions o{16, 1, FftForm::butterfly, FftScaling::worst, FftNumber::int8};
  EXPECT_EQ(fft_reach(o).stage, (std::vector<double>{1, 2, 4, 8, 16}));
  EXPECT_EQ(fft_reach(o).turned, (std::vector<double>{0, 1, 2, 4, 8}));
  o.scaling = FftScaling::noise;
  EXPECT_NEAR(fft_reach(o).output(), 4.0, 1e-12);
  EXPECT_EQ(quant_of(FftNumber::int8, 2.0), Quant::affine(1.0F / 64.0F, 0));
  EXPECT_EQ(quant_of(FftNumber::int16, 1.0), Quant::affine(1.0F / 32768.0F, 0));
  EXPECT_FALSE(quant_of(FftNumber::float32, 1.0).present());
}

// Nothing that was seen in calibration is cut off: the peak is the largest integer.
TEST(FftScales, CalibrationReachesThePeak) {
  const FftOptions o{8, 1, FftForm::butterfly, FftScaling::calibrated, FftNumber::int8};
  std::vector<Complex> samples(8, Complex(0.25, 0.0));
  samples[1] = {0.25, 1e-3};  // so that no stage is zero
  const auto reach = calibrated_reach(o, samples);
  ASSERT_TRUE(reach.ok());
  EXPECT_NEAR(reach->input() * 127.0 / 128.0, 0.25, 1e-12);
  EXPECT_NEAR(reach->output() * 127.0 / 128.0, 2.0, 1e-3);
}

TEST(FftScales, CalibrationNeedsSamples) {
  const FftOptions o{8, 1, FftForm::butterfly, FftScaling::calibrated, FftNumber::int8};
  const auto few = calibrated_reach(o, std::vector<Complex>(7, 1.0));
  ASSERT_FALSE(few.ok());
  EXPECT_EQ(few.error().message, "calibration needs 8 samples; there are 7");
  EXPECT_FALSE(calibrated_reach(o, std::vector<Complex>(8)).ok());
}

TEST(FftScales, NoiseIsTheSameEverywhere) {
  const auto samples = noise_samples(4096, 0.5, 3);
  double power = 0.0;
  for (const Complex& v : samples) power += std::norm(v);
  EXPECT_NEAR(std::sqrt(power / 4096.0), 0.5, 0.01);
  EXPECT_EQ(samples[0], noise_samples(1, 0.5, 3)[0]);
}

}  // namespace
}  // namespace edgetwin::signals
