#include "targets/edgetpu/decompile/compare/transposed.h"

#include <gtest/gtest.h>

#include "graph/attrs.h"

namespace edgetwin::edgetpu {
namespace {

// One channel in and out, a row of the picture: weights are the numbers of their taps.
NetworkLayer row_of(int in, int out, int kernel) {
  NetworkLayer l;
  l.label = "up";
  l.in_h = 1, l.in_w = in, l.in_c = 1;
  l.out_h = 1, l.out_w = out, l.out_c = 1;
  l.kernel_w = kernel;
  for (int k = 0; k < kernel; ++k) l.weights.push_back(static_cast<std::byte>(k));
  return l;
}

TransposeConvAttrs stride_of(int stride, bool same) {
  TransposeConvAttrs a;
  a.stride_h = 1, a.stride_w = stride;
  a.padding.kind = same ? Padding::Kind::same : Padding::Kind::valid;
  return a;
}

Bytes taps(const std::vector<int>& numbers) {
  Bytes b;
  for (const int n : numbers) b.push_back(static_cast<std::byte>(n));
  return b;
}

TEST(TransposedParts, EverySecondTapFromTheLastOneOn) {
  // Output 0 has tap 0 of input 0, output 1 tap 1; output 2 taps 2 of input 0 and 0 of input 1.
  const auto parts = transposed_parts(row_of(3, 7, 3), stride_of(2, false));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].weights, taps({2, 0}));
  EXPECT_EQ(parts[0].pad_left, 1);
  EXPECT_EQ(parts[0].out_w, 4);
  EXPECT_EQ(parts[1].weights, taps({1}));
  EXPECT_EQ(parts[1].pad_left, 0);
  EXPECT_EQ(parts[1].out_w, 3);
  EXPECT_EQ(parts[1].label, "up, part 2");
}

TEST(TransposedParts, PaddingLeavesOutTheFirstOutputs) {
  // As SAME has it, output 0 is the second one of those without padding.
  const auto parts = transposed_parts(row_of(4, 8, 4), stride_of(2, true));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].weights, taps({3, 1}));
  EXPECT_EQ(parts[0].pad_left, 1);
  EXPECT_EQ(parts[1].weights, taps({2, 0}));
  EXPECT_EQ(parts[1].pad_left, 0);
}

TEST(TransposedParts, OutputsWithoutATapAreNoConvolution) {
  EXPECT_TRUE(transposed_parts(row_of(3, 6, 1), stride_of(2, true)).empty());
  NetworkLayer other = row_of(3, 7, 3);
  other.weights.pop_back();
  EXPECT_TRUE(transposed_parts(other, stride_of(2, false)).empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu
