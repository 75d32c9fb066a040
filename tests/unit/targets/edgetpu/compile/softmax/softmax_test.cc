#include "targets/edgetpu/compile/softmax/softmax.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace edgetwin::edgetpu::compiler {
namespace {

// Specification "heads" 1: 1,001 values in 16 tiles, 251 words, the last tile with 11.
TEST(EdgetpuTileSoftmax, AThousandAndOneValues) {
  const TileSoftmaxShape shape{1001};
  EXPECT_EQ(shape.words(), 251);
  EXPECT_EQ(shape.pairs(), 501);
  EXPECT_EQ(shape.tiles(), 16);
  EXPECT_EQ(shape.own(14), 16);
  EXPECT_EQ(shape.own(15), 11);
  EXPECT_EQ(shape.own_pairs(15), 20);  // the last number goes alone
  EXPECT_TRUE(shape.odd());
  EXPECT_EQ(shape.mask(), 0xFFFFU);
}

TEST(EdgetpuTileSoftmax, ALastTileWithOneNumberHasNoWholeWord) {
  const TileSoftmaxShape shape{65};
  EXPECT_EQ(shape.tiles(), 2);
  EXPECT_EQ(shape.own(1), 1);
  EXPECT_EQ(shape.own_pairs(1), 0);
}

TEST(EdgetpuTileSoftmax, WhatPublicProgramsDoNotShowIsNotInTiles) {
  EXPECT_FALSE(can_be_in_tiles(1000));  // no word that is not full
  EXPECT_FALSE(can_be_in_tiles(63));    // one tile
  EXPECT_FALSE(can_be_in_tiles(1025));  // 17
  EXPECT_TRUE(can_be_in_tiles(65));
  EXPECT_TRUE(can_be_in_tiles(1023));
}

// As the tables of MobileNet v1 0.25 128 have them, but for the multiplier.
TEST(EdgetpuTileSoftmax, WhatFillsTheLastWordDoesNotCount) {
  const std::vector<uint32_t> biases = softmax_table(SoftmaxTable::below, 1001, 0.5F);
  ASSERT_EQ(biases.size(), 251U * 16U);
  const size_t last = 250U * 16U;
  EXPECT_EQ(biases[last], 0U);
  for (size_t k = 1; k < 4; ++k) EXPECT_EQ(biases[last + k], 0x80000000U) << k;
  EXPECT_EQ(biases[last + 4], 0U);  // no channel
  EXPECT_EQ(biases[last - 16 + 3], 0U);
  const std::vector<uint32_t> scales = softmax_table(SoftmaxTable::scale, 1001, 0.5F);
  EXPECT_EQ(std::bit_cast<float>(scales[last]), 0.5F);
  EXPECT_GT(std::bit_cast<float>(scales[last + 1]), 1e38F);
  EXPECT_EQ(scales[last + 4], 0U);
  const std::vector<uint32_t> one = softmax_table(SoftmaxTable::last, 1001, 0.5F);
  ASSERT_EQ(one.size(), 16U);
  EXPECT_EQ(std::bit_cast<float>(one[0]), 1.0F);
  EXPECT_EQ(one[1], 0U);
}

// Where the multiplier is above one: no chip's number is infinite.
TEST(EdgetpuTileSoftmax, TheGreatestScaleIsANumber) {
  const std::vector<uint32_t> scales = softmax_table(SoftmaxTable::scale, 66, 2.0F);
  const auto filler = std::bit_cast<float>(scales[16U * 16U + 2]);
  EXPECT_TRUE(std::isfinite(filler));
  EXPECT_GT(filler, 1e38F);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
