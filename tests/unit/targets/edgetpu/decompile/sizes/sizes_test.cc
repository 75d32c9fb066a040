#include "targets/edgetpu/decompile/sizes/sizes.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/decompile/programs.h"

namespace edgetwin::edgetpu {
namespace {

// A band of a convolution 3x3 of 4 channels in one tile; its instruction reads words of which
// `top`, `left`, `bottom` and `right` rows and columns are constants.
struct Band {
  int64_t rows, columns;
  int stride = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;
};

struct Sized {
  DecompiledLayer layer;
  Replay replay;

  Sized(Extent2D in, const std::vector<Band>& bands) {
    std::vector<Assembly> code;
    for (const Band& b : bands) {
      const int64_t pitch = 4 * ((b.columns - 1) * b.stride + 3);
      code.push_back(
          tensor(0x1, {9, b.rows * b.columns},
                 {0, {{4, 3}, {pitch, 3}, {4 * b.stride, b.columns}, {pitch * b.stride, b.rows}}},
                 {0, {{4, 1}, {4, b.columns}, {4 * b.columns, b.rows}}}));
    }
    replay.steps = decode_program(program_ = program(code));
    for (size_t k = 0; k < bands.size(); ++k) {
      Stage s;
      s.kind = StageKind::conv;
      s.steps = {k};
      s.nest = replay.steps.nest(k);
      s.first = s.last = Corner{k, 0, constants(bands[k])};
      replay.stages.push_back(s);
      layer.stages.push_back(k);
      layer.steps.push_back(k);
    }
    layer.type = LayerType::conv;
    layer.numbers = replay.stages[0].nest;
    layer.in = in;
    find_size(layer, {replay, replay.stages, {}});
  }

  static std::vector<int64_t> constants(const Band& b) {
    std::vector<int64_t> words;
    const int64_t width = (b.columns - 1) * b.stride + 3;
    const int64_t height = (b.rows - 1) * b.stride + 3;
    for (int64_t y = 0; y < height; ++y) {
      for (int64_t x = 0; x < width; ++x) {
        const bool outside =
            y < b.top || x < b.left || y >= height - b.bottom || x >= width - b.right;
        if (outside) words.push_back(y * width + x);
      }
    }
    return words;
  }
  darwinn::Executable program_;
};

TEST(Sizes, OneBand) {
  const Sized s({8, 12, 4}, {{8, 12, 1, 1, 1, 1, 1}});
  EXPECT_EQ(s.layer.problem, "");
  EXPECT_EQ(s.layer.out, (Extent2D{8, 12, 4}));
  EXPECT_EQ(s.layer.pad, DecompiledLayer::Pad::same);
}

// Two by two bands that overlap in both directions, of a picture that is padded after only.
TEST(Sizes, BandsThatOverlapInBothDirections) {
  const std::vector<Band> bands{
      {13, 17, 2}, {13, 16, 2, 0, 0, 0, 2}, {12, 17, 2, 0, 0, 2, 0}, {12, 16, 2, 0, 0, 2, 2}};
  const Sized s({49, 63, 4}, bands);
  EXPECT_EQ(s.layer.problem, "");
  EXPECT_EQ(s.layer.out, (Extent2D{25, 32, 4}));
  EXPECT_EQ(s.layer.pad, DecompiledLayer::Pad::given);
  EXPECT_EQ(s.layer.pad_top, 0);
  EXPECT_EQ(s.layer.pad_bottom, 2);
  EXPECT_EQ(s.layer.pad_right, 2);
  // The order in which bands come does not matter.
  const Sized other({49, 63, 4}, {bands[3], bands[1], bands[2], bands[0]});
  EXPECT_EQ(other.layer.out, s.layer.out);
  EXPECT_EQ(other.layer.pad_bottom, 2);
}

// 9 x 13 positions in two bands of 6 rows make 156: more than there are, and by chance the number
// of another size.
TEST(Sizes, WhatBandsComputeTogetherIsNoSize) {
  const Sized s({9, 13, 4}, {{6, 13, 1, 1, 1, 0, 1}, {6, 13, 1, 0, 1, 1, 1}});
  EXPECT_EQ(s.layer.problem, "");
  EXPECT_EQ(s.layer.out, (Extent2D{9, 13, 4}));
  EXPECT_EQ(s.layer.pad, DecompiledLayer::Pad::same);
}

TEST(Sizes, OnePositionWithPaddingInFront) {
  const Sized s({2, 2, 4}, {{1, 1, 1, 1, 1, 0, 0}});
  EXPECT_EQ(s.layer.problem, "");
  EXPECT_EQ(s.layer.out, (Extent2D{1, 1, 4}));
  EXPECT_EQ(s.layer.pad_top, 1);
  EXPECT_EQ(s.layer.pad_left, 1);
  EXPECT_EQ(s.layer.pad_bottom, 0);
}

// A dense layer after a map: all words of the map are one row.
TEST(Sizes, FlattenedInputs) {
  for (const bool packed : {false, true}) {
    const int64_t words = packed ? 12 : 16;  // 4 x 4 positions of 3 channels
    darwinn::Executable e = program({tensor(0x3, {words, 1, 1}, {0, {{4, words}}}, {0, {{4, 4}}})});
    Replay r;
    r.steps = decode_program(e);
    Stage stage;
    stage.kind = StageKind::conv;
    stage.steps = {0};
    stage.nest = r.steps.nest(0);
    r.stages = {stage};
    DecompiledLayer l;
    l.type = LayerType::conv;
    l.stages = l.steps = {0};
    l.numbers = stage.nest;
    l.in = {4, 4, 3};
    find_size(l, {r, r.stages, {}});
    EXPECT_EQ(l.problem, "");
    EXPECT_EQ(l.type, LayerType::dense);
    EXPECT_TRUE(l.flat);
    EXPECT_EQ(l.packed, packed);
    EXPECT_EQ(l.out, (Extent2D{1, 1, 32}));
  }
}

}  // namespace
}  // namespace edgetwin::edgetpu
