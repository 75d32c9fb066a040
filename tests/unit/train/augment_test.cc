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

TEST(TrainAugment, ChangesOfSoundsKeepTheirLoudness) {
  std::vector<uint8_t> sound(16384);
  for (size_t i = 0; i < sound.size(); ++i) sound[i] = i % 256 < 128 ? 160 : 96;
  Augmentation noise{.kind = AugmentKind::white_noise};
  noise.low = noise.high = 20;
  std::vector<uint8_t> noisy = sound;
  augment(noisy, {128, 128, 1}, std::vector<Augmentation>{noise}, 1, 0, 0);
  double power = 0;
  for (size_t i = 0; i < sound.size(); ++i) {
    const double d = static_cast<double>(noisy[i]) - sound[i];
    power += d * d / static_cast<double>(sound.size());
  }
  // 20 decibels below 32^2, and a twelfth for the rounding to bytes.
  EXPECT_NEAR(power, 10.24 + 1.0 / 12, 0.5);
  Augmentation recorded{.kind = AugmentKind::recorded_noise};
  recorded.low = recorded.high = 20;
  recorded.recordings = std::make_shared<const Recordings>(Recordings{{0.5F, -0.5F, 0.25F}});
  std::vector<uint8_t> mixed = sound;
  augment(mixed, {128, 128, 1}, std::vector<Augmentation>{recorded}, 1, 0, 0);
  EXPECT_NE(mixed, sound);
}

TEST(TrainAugment, SpeedOfOneAndAFullCropChangeNothing) {
  std::vector<uint8_t> bytes(16384);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  const std::vector<uint8_t> before = bytes;
  Augmentation speed{.kind = AugmentKind::speed};
  Augmentation crop{.kind = AugmentKind::resized_crop};
  crop.least_area = crop.most_area = crop.least_aspect = crop.most_aspect = 1;
  augment(bytes, {128, 128, 1}, std::vector<Augmentation>{speed}, 1, 0, 0);
  EXPECT_EQ(bytes, before);
  augment(bytes, {1, 128, 128}, std::vector<Augmentation>{crop}, 1, 0, 0);
  EXPECT_EQ(bytes, before);
}

TEST(TrainAugment, ErasesARectangleAndChangesColours) {
  std::vector<uint8_t> bytes(3 * 64, 200);
  Augmentation erase{.kind = AugmentKind::erase};
  erase.least_area = erase.most_area = 0.25;
  augment(bytes, {3, 8, 8}, std::vector<Augmentation>{erase}, 1, 0, 0);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 128), 3 * 16);
  Augmentation colour{.kind = AugmentKind::colour};
  colour.brightness = 0.5;
  std::vector<uint8_t> grey(3 * 64, 100);
  augment(grey, {3, 8, 8}, std::vector<Augmentation>{colour}, 1, 0, 0);
  EXPECT_NE(grey[0], 100);
  EXPECT_EQ(std::count(grey.begin(), grey.end(), grey[0]), 3 * 64);
}

// Rows 0 to 3 hold 0, 1, 2, ..: a crop keeps what lies beside each other.
TEST(TrainAugment, CutsToAnotherSize) {
  std::vector<uint8_t> picture(2 * 4 * 5);
  for (size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<uint8_t>(i);
  const Augmentation part{.kind = AugmentKind::random_crop, .height = 2, .width = 3};
  std::vector<uint8_t> corners;
  for (uint32_t item = 0; item < 60; ++item) {
    std::vector<uint8_t> bytes = picture;
    augment(bytes, {2, 4, 5}, std::span(&part, 1), 3, 1, item);
    ASSERT_EQ(bytes.size(), 12U);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(bytes[i], bytes[0] + i % 3 + 5 * (i / 3));
      EXPECT_EQ(bytes[6 + i], bytes[i] + 20);
    }
    if (std::find(corners.begin(), corners.end(), bytes[0]) == corners.end()) {
      corners.push_back(bytes[0]);
    }
  }
  EXPECT_EQ(corners.size(), 9U);  // three rows and three columns to begin with
  std::vector<uint8_t> middle = picture;
  const Augmentation centre{.kind = AugmentKind::centre_crop, .height = 2, .width = 3};
  augment(middle, {2, 4, 5}, std::span(&centre, 1), 3, 1, 0);
  EXPECT_EQ(middle, middle_of(picture, {2, 4, 5}, {2, 2, 3}, false));
  EXPECT_EQ(middle[0], 6);
}

TEST(TrainAugment, ResizesAPartToAnotherSize) {
  const std::vector<Augmentation> steps = {
      {.kind = AugmentKind::resized_crop, .height = 3, .width = 6},
      {.kind = AugmentKind::pad_crop, .pad = 1}};
  std::vector<uint8_t> bytes(3 * 8 * 8, 77);
  augment(bytes, {3, 8, 8}, steps, 1, 0, 0);
  EXPECT_EQ(bytes.size(), size_t{3 * 3 * 6});
  EXPECT_EQ(size_after({3, 8, 8}, steps).width, 6);
  const std::vector<uint8_t> flat(64, 9);
  EXPECT_EQ(middle_of(flat, {1, 8, 8}, {1, 3, 6}, true), std::vector<uint8_t>(18, 9));
}

}  // namespace
}  // namespace edgetwin::train
