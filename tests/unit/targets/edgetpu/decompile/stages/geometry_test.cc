#include "targets/edgetpu/decompile/stages/geometry.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

using Levels = std::vector<std::pair<int64_t, int64_t>>;  // net stride, count

Traversal traversal(const Levels& levels) {
  Traversal t;
  t.size = kLoopLevels;
  int64_t end = 0;
  for (size_t k = 0; k < levels.size(); ++k) {
    t.level[k].step = levels[k].first - end;
    t.level[k].count = levels[k].second;
    end += levels[k].first * (levels[k].second - 1);
  }
  t.make_net();
  return t;
}

Nest nest(const Levels& in, const Levels& out) {
  Nest n;
  n.in = traversal(in);
  n.out = traversal(out);
  n.kind = 0x38;
  return n;
}

struct Case {
  const char* name;
  bool depthwise;
  Levels in, out;
  int64_t kernel_h, kernel_w, stride, dilation, in_channels, out_channels, pixels;
};

const Case kCases[] = {
    {"three by three, stride 2, 3 to 8 channels",
     false,
     {{4, 1}, {4, 3}, {132, 3}, {4, 1}, {8, 16}, {264, 16}},
     {{4, 2}, {8, 16}, {144, 16}},
     3,
     3,
     2,
     1,
     4,
     8,
     256},
    {"depthwise of 8 channels",
     true,
     {{4, 1}, {8, 3}, {144, 3}, {8, 16}, {144, 16}, {4, 2}},
     {{4, 1}, {8, 256}, {4, 2}},
     3,
     3,
     1,
     1,
     8,
     8,
     256},
    {"one by one, 64 to 128",
     false,
     {{4, 8}, {64, 1}, {64, 4}, {32, 2}, {0, 2}},
     {{4, 16}, {128, 2}, {512, 2}, {64, 2}},
     1,
     1,
     1,
     1,
     64,
     128,
     4},
    {"as many words as positions",
     false,
     {{4, 16}, {64, 16}},
     {{4, 16}, {64, 4}, {320, 4}},
     1,
     1,
     1,
     1,
     64,
     64,
     16},
    {"window of a buffer three wide",
     true,
     {{128, 9}, {4, 32}},
     {{4, 1}, {4, 32}},
     3,
     3,
     0,
     1,
     128,
     128,
     1},
    {"all words of a pixel first",
     false,
     {{4, 24}, {1472, 3}, {32, 1}, {32, 44}, {1472, 3}},
     {{4, 8}, {32, 132}},
     3,
     3,
     1,
     1,
     32,
     32,
     132},
    {"dilated",
     true,
     {{960, 3}, {12480, 3}, {480, 9}, {6240, 9}, {4, 120}},
     {{4, 1}, {480, 81}, {4, 120}},
     3,
     3,
     1,
     2,
     480,
     480,
     81},
    {"window and output of the same size",
     true,
     {{64, 3}, {384, 3}, {128, 3}, {768, 3}, {4, 16}},
     {{4, 1}, {64, 9}, {4, 16}},
     3,
     3,
     2,
     1,
     64,
     64,
     9},
    {"a column over rows that have no room for a row of as many taps",
     false,
     {{4, 1}, {20, 3}, {4, 1}, {8, 3}, {40, 2}},
     {{4, 2}, {8, 6}},
     3,
     1,
     2,
     1,
     4,
     8,
     6},
    {"a dilated row",
     false,
     {{4, 1}, {20, 3}, {4, 1}, {4, 3}, {80, 2}},
     {{4, 2}, {8, 6}},
     1,
     3,
     1,
     5,
     4,
     8,
     6},
};

TEST(Window, IsReadFromTheLevels) {
  for (const Case& c : kCases) {
    const auto w = window_of(nest(c.in, c.out), c.depthwise);
    ASSERT_TRUE(w.has_value()) << c.name;
    EXPECT_EQ(w->kernel_h, c.kernel_h) << c.name;
    EXPECT_EQ(w->kernel_w, c.kernel_w) << c.name;
    EXPECT_EQ(w->stride_w, c.stride) << c.name;
    EXPECT_EQ(w->stride_h, c.stride) << c.name;
    EXPECT_EQ(w->dilation, c.dilation) << c.name;
    EXPECT_EQ(w->in_channels, c.in_channels) << c.name;
    EXPECT_EQ(w->out_channels, c.out_channels) << c.name;
    EXPECT_EQ(w->pixels, c.pixels) << c.name;
  }
}

// Two words of each of four positions, then the next two: neither all words of a position first,
// nor all positions.
TEST(Window, WordsInTwoParts) {
  const auto w = window_of(nest({{4, 2}, {64, 4}, {8, 8}}, {{4, 16}}), false);
  ASSERT_TRUE(w.has_value());
  EXPECT_EQ(w->in_channels, 64);
  EXPECT_EQ(w->kernel_h * w->kernel_w, 4);
  EXPECT_EQ(w->inner_words, 2);
}

TEST(Window, LastGroupWithFewerChannels) {
  Nest n = nest({{4, 6}, {24, 1}, {24, 1}, {24, 196}, {0, 3}},
                {{4, 16}, {144, 14}, {2304, 14}, {64, 3}});
  n.out.set_short(3, 4);
  const auto w = window_of(n, false);
  ASSERT_TRUE(w.has_value());
  EXPECT_EQ(w->out_channels, 144);
  EXPECT_EQ(w->columns, 14);
  EXPECT_EQ(w->rows, 14);
}

TEST(Window, LevelsThatFitNothingAreRefused) {
  EXPECT_FALSE(window_of(nest({{4, 7}}, {{4, 4}, {16, 5}}), false).has_value());
  EXPECT_FALSE(window_of(nest({}, {}), true).has_value());
}

TEST(Positions, ChannelsOfAnAddition) {
  const Positions p = positions_of(nest({}, {{4, 1}, {24, 12}, {288, 12}, {4, 6}}));
  EXPECT_EQ(p.channels, 24);
  EXPECT_EQ(p.pixels, 144);
  EXPECT_EQ(p.columns, 12);
}

// Passes over the channels of which the last one is shorter: 26 of twelve words and one of eight.
TEST(Window, TheLastPassOverTheChannelsIsShorter) {
  Nest n = nest({{4, 12}, {48, 27}}, {{4, 16}});
  n.loop = {12, 27, 1, 1, 1, 1, 1, 1};
  n.last = 8;
  const auto w = window_of(n, false);
  ASSERT_TRUE(w);
  EXPECT_EQ(w->in_channels, 1280);
  EXPECT_EQ(w->out_channels, 64);
  EXPECT_EQ(w->pixels, 1);
  // Around the positions, and over groups of outputs.
  Nest p = nest({{4, 12}, {256, 9}, {48, 6}, {0, 2}}, {{4, 16}, {128, 9}, {64, 2}});
  p.loop = {12, 9, 6, 2, 1, 1, 1, 1};
  p.last = 4;
  const auto around = window_of(p, false);
  ASSERT_TRUE(around);
  EXPECT_EQ(around->in_channels, 256);
  EXPECT_EQ(around->stride_w, 1);
  EXPECT_EQ(around->pixels, 9);
}

}  // namespace
}  // namespace edgetwin::edgetpu
