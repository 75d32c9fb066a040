#include <gtest/gtest.h>

#include <cmath>

#include "image/image.h"
#include "signals/fft/reference.h"
#include "signals/spectrum/average.h"
#include "signals/spectrum/waterfall.h"

namespace edgetwin::signals {
namespace {

TEST(SignalWindow, Factors) {
  EXPECT_EQ(window_factors(Window::rectangular, 4), (std::vector<float>{1, 1, 1, 1}));
  const auto hann = window_factors(Window::hann, 8);
  EXPECT_NEAR(hann[0], 0.0, 1e-7);
  EXPECT_NEAR(hann[4], 1.0, 1e-7);
  EXPECT_NEAR(hann[2], 0.5, 1e-7);
  EXPECT_NEAR(window_factors(Window::blackman, 8)[0], 0.0, 1e-7);
  EXPECT_EQ(window_by_name("blackman"), Window::blackman);
  EXPECT_EQ(window_by_name("none"), std::nullopt);
}

// A tone of modulus 1 is 0 dB at its place in every window.
TEST(PowerAverage, FullScaleIsZeroDecibels) {
  for (const Window window : {Window::rectangular, Window::hann, Window::blackman}) {
    const auto factors = window_factors(window, 32);
    std::vector<Complex> tone;
    for (size_t n = 0; n < 32; ++n) {
      tone.push_back(std::conj(twiddle(5 * n, 32)) * static_cast<double>(factors[n]));
    }
    std::vector<std::complex<float>> spectrum;
    for (const Complex& v : plain_dft(tone)) spectrum.emplace_back(v);
    PowerAverage average(32, window);
    average.add(spectrum);
    average.add(spectrum);
    EXPECT_EQ(average.count(), 2);
    const auto row = average.take_decibels();
    EXPECT_NEAR(row[16 + 5], 0.0, 1e-4) << name(window);
    EXPECT_EQ(frequency_of(16 + 5, 32), 5.0 / 32.0);
    EXPECT_LT(row[3], -100.0);
    EXPECT_EQ(average.count(), 0);
  }
}

TEST(PowerAverage, NothingIsTheLeast) {
  PowerAverage average(4, Window::hann);
  average.add(std::vector<std::complex<float>>(4));
  EXPECT_EQ(average.take_decibels(), std::vector<float>(4, -200.0F));
}

TEST(Waterfall, LinesAndPictures) {
  const DecibelRows rows = {{-100, -50, 0, -100}, {0, -100, -100, -100}};
  EXPECT_EQ(waterfall_line(rows[0], 4, {-100, 0}), " =@ ");
  EXPECT_EQ(waterfall_line(rows[0], 2, {-100, 0}), "=@");
  EXPECT_EQ(waterfall_line(rows[0], 99, {-100, 0}), " =@ ");
  const auto png = waterfall_png(rows, {-100, 0});
  ASSERT_TRUE(png.ok());
  const auto picture = decode_image(*png, "x.png");
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->shape, Shape({2, 4, 3}));
  const auto pixels = picture->as<uint8_t>();
  EXPECT_EQ(pixels[0], 0);
  EXPECT_EQ(pixels[6], 255);
  EXPECT_FALSE(waterfall_png({}, {}).ok());
  EXPECT_EQ(range_of({}).high, 0.0);
  EXPECT_EQ(range_of({{-3, -3}}).high, 17.0);
}

}  // namespace
}  // namespace edgetwin::signals
