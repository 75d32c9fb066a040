#include "plot/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/file.h"
#include "gtest/gtest.h"
#include "image/image.h"
#include "plot/font.h"

namespace edgetwin::plot {
namespace {

constexpr Color kWhite = {255, 255, 255};
constexpr Color kBlack = {0, 0, 0};

TEST(Canvas, FillCoversPartsOfPixelsByTheirArea) {
  Canvas canvas(4, 4, kWhite);
  canvas.fill({1.0, 1.0, 2.5, 2.0}, kBlack);
  EXPECT_EQ(canvas.at(0, 1), kWhite);
  EXPECT_EQ(canvas.at(1, 1), kBlack);
  EXPECT_EQ(canvas.at(2, 1), (Color{128, 128, 128}));
  EXPECT_EQ(canvas.at(1, 2), kWhite);
}

TEST(Canvas, LineOfOnePixelOnPixelCentres) {
  Canvas canvas(8, 3, kWhite);
  canvas.line({1.5, 1.5}, {6.5, 1.5}, 1.0, kBlack);
  for (int x = 1; x <= 6; ++x) EXPECT_EQ(canvas.at(x, 1), kBlack) << x;
  EXPECT_EQ(canvas.at(3, 0), kWhite);
  EXPECT_EQ(canvas.at(7, 1), kWhite);
}

TEST(Canvas, OverlappingSegmentsArePaintedOnce) {
  Canvas canvas(5, 5, kWhite);
  const Point there_and_back[] = {{0.5, 2.5}, {4.5, 2.5}, {0.5, 2.5}};
  canvas.polyline(there_and_back, 1.0, kBlack, 0.5);
  EXPECT_EQ(canvas.at(2, 2), (Color{128, 128, 128}));
}

TEST(Canvas, DropsWhatIsOutsideOrNotFinite) {
  Canvas canvas(4, 4, kWhite);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double huge = 1e300;
  canvas.line({nan, 0}, {3, 3}, 1.0, kBlack);
  canvas.line({-huge, 50}, {huge, 50}, 1.0, kBlack);
  canvas.fill({5, 5, 9, 9}, kBlack);
  canvas.set_clip({0, 0, 2, 4});
  canvas.fill({0, 0, 4, 4}, kBlack);
  for (int y = 0; y < 4; ++y) {
    EXPECT_EQ(canvas.at(1, y), kBlack);
    EXPECT_EQ(canvas.at(2, y), kWhite);
  }
}

TEST(Font, EveryPrintableCharacterHasInk) {
  for (char c = '!'; c <= '~'; ++c) {
    Canvas canvas(40, 40, kWhite);
    draw_text(canvas, {12, 20}, std::string_view(&c, 1), {24, kBlack});
    int dark = 0;
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 40; ++x) dark += canvas.at(x, y).r < 128 ? 1 : 0;
    }
    EXPECT_GT(dark, 2) << c;
  }
}

TEST(Font, NoTwoCharactersLookAlike) {
  const auto ink = [](char c) {
    Canvas canvas(40, 40, kWhite);
    draw_text(canvas, {12, 20}, std::string_view(&c, 1), {24, kBlack});
    return *canvas.png();
  };
  std::vector<Bytes> seen;
  for (char c = '!'; c <= '~'; ++c) {
    const Bytes picture = ink(c);
    // A capital I and a small l are both one upright stroke.
    const bool known = std::count(seen.begin(), seen.end(), picture) != 0;
    EXPECT_EQ(known, c == 'l') << c;
    seen.push_back(picture);
  }
}

TEST(Font, UnknownCharactersAreBoxesOfOneGlyph) {
  const TextStyle style = {14, kBlack};
  EXPECT_EQ(text_width("\xC3\xA4", style), text_width("\xFF", style));
  EXPECT_GT(text_width("\xFF", style), 0.0);
  EXPECT_EQ(text_width("", style), 0.0);
}

TEST(Ticks, NiceStepsAndLabels) {
  const Ticks ticks = make_ticks({-8.0, 8.0}, 10, false);
  EXPECT_EQ(ticks.step, 2.0);
  EXPECT_EQ(ticks.labels.front(), "-8");
  EXPECT_EQ(ticks.labels.back(), "8");
  EXPECT_EQ(ticks.labels.size(), 9U);
  EXPECT_EQ(make_ticks({0.0, 0.9}, 5, true).labels,
            (std::vector<std::string>{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
}

TEST(Ticks, OddRangesGiveUsableAxes) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const Range r : {Range{0, 0}, Range{5, 5}, Range{3, -3}, Range{-inf, inf},
                        Range{1e300, 2e300}, Range{1e-300, 2e-300}, Range{1e9, 1e9 + 1e-9}}) {
    const Ticks ticks = make_ticks(r, 5, true);
    EXPECT_GT(ticks.range.size(), 0.0);
    EXPECT_LE(ticks.values.size(), 100U);
    EXPECT_EQ(ticks.values.size(), ticks.labels.size());
  }
}

Chart sample() {
  Chart chart;
  chart.title = "swish, in 2^-12, out 2^-12, step 256";
  chart.subtitle =
      "0123456789 The quick brown fox jumps over the lazy dog (x+y)*z = 50% [a] {b} <c> \"d\" 'e' "
      "#1 & @ ~ $ ^ | ? ! ; :";
  chart.x_label = "input (real value) ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  Panel main = {"output (real value)", {}, 2.2, {}};
  Series ideal = {"ideal", kBlue, Series::Style::line, 2.0, {}, {}};
  Series error = {"error", kRed, Series::Style::line, 1.2, {}, {}};
  Series pivots = {"pivots", kOrange, Series::Style::points, 6.0, {}, {}};
  for (int i = -32768; i < 32768; ++i) {
    const double x = i / 4096.0;
    ideal.x.push_back(x);
    ideal.y.push_back(x / (1 + std::exp(-x)));
    error.x.push_back(x);
    error.y.push_back(20 * std::sin(40 * x) / (1 + x * x));
    if (i % 2048 == 0) {
      pivots.x.push_back(x);
      pivots.y.push_back(ideal.y.back());
    }
  }
  main.series = {ideal, pivots};
  chart.panels = {main, {"error (LSB)", {error}, 1.0, {}}};
  return chart;
}

TEST(Chart, IsAPngOfTheSizeAskedForAndTheSameEveryTime) {
  const auto first = render_png(sample());
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*first, *render_png(sample()));
  const auto picture = decode_image(*first, "chart");
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->shape, Shape({800, 1200, 3}));
  if (const char* folder = std::getenv("EDGETWIN_KEEP_PICTURES")) {
    EXPECT_TRUE(write_file(std::string(folder) + "/chart.png", *first, Overwrite::yes).ok());
  }
}

TEST(Chart, KeepsASinglePeakAmongManyPoints) {
  Chart chart = sample();
  Series flat = {"", kRed, Series::Style::line, 1.0, {}, {}};
  for (int i = 0; i < 65536; ++i) {
    flat.x.push_back(i);
    flat.y.push_back(i == 30000 ? 10.0 : 0.0);
  }
  chart.panels = {{"y", {flat}, 1.0, Range{0, 10}}};
  const Canvas canvas = render(chart);
  int red = 0;
  for (int x = 104; x < 1166; ++x) {
    const Color c = canvas.at(x, 300);
    red += c.r > c.g + 60 ? 1 : 0;
  }
  EXPECT_GE(red, 1);
}

TEST(Chart, EmptyChartsAreDrawnToo) {
  EXPECT_TRUE(render_png(Chart{}).ok());
  Chart chart;
  chart.panels = {{}, {"y", {Series{}}, -1.0, {}}};
  EXPECT_TRUE(render_png(chart).ok());
}

}  // namespace
}  // namespace edgetwin::plot
