#include "train/data/augment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace edgetwin::train {
namespace {

TEST(TrainAugment, DependsOnSeedEpochAndItemOnly) {
  const std::vector<Augmentation> steps = {{.kind = AugmentKind::pad_crop, .pad = 2},
                                           {.kind = AugmentKind::noise, .sigma = 9}};
  const auto changed = [&](uint64_t seed, int epoch, uint32_t item) {
    std::vector<uint8_t> bytes(64, 200);
    augment(bytes, {1, 8, 8}, steps, seed, epoch, item);
    return bytes;
  };
  EXPECT_EQ(changed(1, 2, 3), changed(1, 2, 3));
  EXPECT_NE(changed(1, 2, 3), changed(2, 2, 3));
  EXPECT_NE(changed(1, 2, 3), changed(1, 3, 3));
  EXPECT_NE(changed(1, 2, 3), changed(1, 2, 4));
}

TEST(TrainAugment, FlipsEachChannelSometimes) {
  int flipped = 0;
  for (uint32_t item = 0; item < 100; ++item) {
    std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6};
    augment(bytes, {2, 1, 3}, std::vector<Augmentation>{{.kind = AugmentKind::flip}}, 0, 0, item);
    if (bytes == std::vector<uint8_t>{3, 2, 1, 6, 5, 4}) {
      ++flipped;
    } else {
      EXPECT_EQ(bytes, (std::vector<uint8_t>{1, 2, 3, 4, 5, 6}));
    }
  }
  EXPECT_GT(flipped, 30);
  EXPECT_LT(flipped, 70);
}

TEST(TrainAugment, MovesAndFillsWithZero) {
  bool moved = false;
  for (uint32_t item = 0; item < 20; ++item) {
    std::vector<uint8_t> bytes(9, 7);
    augment(bytes, {1, 3, 3}, std::vector<Augmentation>{{.kind = AugmentKind::pad_crop, .pad = 1}},
            0, 0, item);
    for (const uint8_t b : bytes) EXPECT_TRUE(b == 7 || b == 128);
    moved = moved || std::count(bytes.begin(), bytes.end(), 128) == 5;  // by one both ways
  }
  EXPECT_TRUE(moved);
}

TEST(TrainAugment, AnAffineMapWithoutAmountsChangesNothing) {
  std::vector<uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<uint8_t> before = bytes;
  augment(bytes, {1, 3, 3}, std::vector<Augmentation>{{.kind = AugmentKind::affine}}, 0, 0, 0);
  EXPECT_EQ(bytes, before);
  augment(bytes, {1, 3, 3}, std::vector<Augmentation>{{.kind = AugmentKind::affine, .rotate = 90}},
          0, 0, 0);
  EXPECT_NE(bytes, before);
  EXPECT_EQ(bytes[4], before[4]);  // the middle stays
}

}  // namespace
}  // namespace edgetwin::train
