// Layers that are the same program, whatever they are called.
#include <gtest/gtest.h>

#include "targets/edgetpu/decompile/compare/one_position.h"
#include "targets/edgetpu/decompile/compare/row_filler.h"

namespace edgetwin::edgetpu {
namespace {

Bytes bytes_of(const std::vector<int>& numbers) {
  Bytes bytes;
  for (const int n : numbers) bytes.push_back(static_cast<std::byte>(n));
  return bytes;
}

// Two rows of three outputs with one input, each filled up to four; weights' zero point 9.
NetworkLayer rows(int filler, int bias, bool last) {
  NetworkLayer l;
  l.kind = "CONV_2D";
  l.in_c = 1;
  l.weights = bytes_of({1, 2, 3, filler, 4, 5, 6});
  l.bias = {1, 2, 3, bias, 4, 5, 6};
  l.multipliers = {1, 2, 3, 9, 4, 5, 6};
  if (last) {
    l.weights.push_back(std::byte{9});
    l.bias.push_back(0);
    l.multipliers.push_back(9);
  }
  l.out_c = static_cast<int64_t>(l.bias.size());
  l.zero_points = {0, 9, 0};
  return l;
}

TEST(RowFiller, IsLeftOut) {
  for (const bool last : {false, true}) {
    const NetworkLayer l = without_row_filler(rows(9, 0, last), 6);
    EXPECT_EQ(l.out_c, 6);
    EXPECT_EQ(l.weights, bytes_of({1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(l.bias, (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(l.multipliers, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
}

TEST(RowFiller, WithAWeightOrABiasIsNone) {
  EXPECT_EQ(without_row_filler(rows(8, 0, false), 6).out_c, 7);
  EXPECT_EQ(without_row_filler(rows(9, 1, true), 6).out_c, 8);
  EXPECT_EQ(without_row_filler(rows(9, 0, true), 5).out_c, 8);  // other rows
}

// A window of 2 x 2 with a row of padding in front of a picture of 1 x 2.
TEST(OnePosition, TapsOutsideOfThePictureAreLeftOut) {
  NetworkLayer l;
  l.kind = "DEPTHWISE_CONV_2D";
  l.in_h = 1, l.in_w = 2;
  l.in_c = l.out_c = 5;
  l.kernel_h = l.kernel_w = 2;
  l.pad_top = 1;
  for (int o = 0; o < 5; ++o) {
    const Bytes taps = bytes_of({100, 101, 10 * o + 1, 10 * o + 2});
    l.weights.insert(l.weights.end(), taps.begin(), taps.end());
  }
  l.zero_points = {3, 7, 4};
  as_one_row(l);
  EXPECT_EQ(l.kind, "CONV_2D");
  EXPECT_EQ(l.in_c, 10);
  EXPECT_EQ(l.kernel_h * l.kernel_w, 1);
  ASSERT_EQ(l.weights.size(), 50U);
  for (int o = 0; o < 5; ++o) {
    std::vector<int> row(10, 7);
    row[static_cast<size_t>(o)] = 10 * o + 1;
    row[static_cast<size_t>(5 + o)] = 10 * o + 2;
    const auto at = l.weights.begin() + 10 * o;
    EXPECT_EQ(Bytes(at, at + 10), bytes_of(row));
  }
}

TEST(OnePosition, AWordOfChannelsIsAConvolution) {
  NetworkLayer l;
  l.kind = "DEPTHWISE_CONV_2D";
  l.in_c = l.out_c = 2;
  l.kernel_w = 2;
  l.weights = bytes_of({1, 2, 3, 4});
  l.zero_points = {0, 5, 0};
  as_whole_word(l);
  EXPECT_EQ(l.kind, "CONV_2D");
  EXPECT_EQ(l.weights, bytes_of({1, 5, 2, 5, 5, 3, 5, 4}));
}

}  // namespace
}  // namespace edgetwin::edgetpu
