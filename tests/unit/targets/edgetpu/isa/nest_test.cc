#include "targets/edgetpu/isa/nest.h"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace edgetwin::edgetpu {
namespace {

// The input side of a 3x3 convolution of 64 channels, 12 x 128 pixels in parts of 3 x 32 and a
// border.
constexpr std::array<int64_t, 7> kSteps{4, 64, 2048, -4416, -4288, -10812, -10876};
constexpr std::array<int64_t, 7> kCounts{1, 3, 3, 32, 3, 16, 1};
constexpr std::array<int64_t, 7> kNet{4, 64, 2176, 64, 2176, 4, 0};

Instruction whole(const Assembly& a, Opcode opcode) { return {&info(opcode), 0, a.bytes()}; }

Assembly convolution() {
  Assembly a(Opcode::tensor);
  for (size_t k = 0; k < kSteps.size(); ++k) {
    a.set("in.step", static_cast<uint64_t>(kSteps[k]), k);
    a.set("in.count", static_cast<uint64_t>(kCounts[k] - 1), k);
  }
  a.set("tiles", 0x00F0).set("in.start", 8192).set("kind", 0x38).set("loop", 8, 0);
  a.set("multiplier", std::bit_cast<uint32_t>(0.25F)).set("constant", static_cast<uint64_t>(-5));
  a.set("input_zero_point", 128).set("output_zero_point", 131).set("has_bias", 1);
  return a;
}

TEST(Nest, StepsBecomeNetStrides) {
  const Assembly a = convolution();
  const auto nest = decode_nest(whole(a, Opcode::tensor));
  ASSERT_TRUE(nest.has_value());
  for (size_t k = 0; k < kNet.size(); ++k) EXPECT_EQ(nest->in.level[k].net, kNet[k]) << k;
  EXPECT_EQ(nest->in.count(), 3U * 3 * 32 * 3 * 16);
  EXPECT_EQ(nest->in.lowest(), 8192);
  EXPECT_EQ(nest->in.highest(), 8192 + 2 * 64 + 2 * 2176 + 31 * 64 + 2 * 2176 + 15 * 4);
}

TEST(Nest, NumbersAreThoseOfTheFields) {
  const Assembly a = convolution();
  const auto nest = decode_nest(whole(a, Opcode::tensor));
  ASSERT_TRUE(nest.has_value());
  EXPECT_EQ(nest->tiles, 0x00F0U);
  EXPECT_EQ(nest->loop[0], 9);
  EXPECT_EQ(nest->multiplier, 0.25F);
  EXPECT_EQ(nest->constant, -5);
  EXPECT_EQ(nest->input_zero_point, 128);
  EXPECT_EQ(nest->output_zero_point, 131);
  EXPECT_TRUE(nest->has_bias);
  EXPECT_FALSE(nest->has_scales);
  EXPECT_TRUE(nest->weighted());
  EXPECT_EQ(nest->last, 0);
}

// Adding the steps one after the other, as the chip does, gives the same places as the net strides.
TEST(Nest, WalkingEqualsAddingSteps) {
  const Assembly a = convolution();
  const auto nest = decode_nest(whole(a, Opcode::tensor));
  std::vector<int64_t> walked;
  walk(nest->in, 100000, [&](int64_t at) { walked.push_back(at); });
  ASSERT_EQ(walked.size(), nest->in.count());
  int64_t at = nest->in.start;
  std::array<int64_t, 8> index{};
  for (size_t n = 0; n < walked.size(); ++n) {
    ASSERT_EQ(walked[n], at) << n;
    for (size_t k = 0; k < kSteps.size(); ++k) {
      if (++index[k] < kCounts[k]) {
        at += kSteps[k];
        break;
      }
      index[k] = 0;
    }
  }
  size_t limited = 0;
  walk(nest->in, 10, [&](int64_t) { ++limited; });
  EXPECT_EQ(limited, 10U);
}

TEST(Nest, HugeCountsStayNumbers) {
  Assembly a(Opcode::tensor);
  for (size_t k = 0; k < kLoopLevels; ++k) {
    a.set("loop", 0x3FFF, k).set("in.count", 0x3FFFF, k).set("in.step", 0x3FFFF, k);
  }
  const auto nest = decode_nest(whole(a, Opcode::tensor));
  EXPECT_EQ(nest->in.count(), UINT64_MAX);
  EXPECT_EQ(nest->loops(), UINT64_MAX);
  EXPECT_GT(nest->in.highest(), kNarrowBytes);
}

TEST(Copy, BothSidesOfAMove) {
  Assembly a(Opcode::move_left);
  a.set("tiles", 0x0F00).set("a.start", 100).set("a.step", 1, 0).set("a.count", 15, 0);
  a.set("b.start", 200).set("b.step", 2, 0).set("b.count", 3, 0);
  a.set("b.step", static_cast<uint64_t>(-6), 1).set("b.count", 3, 1);
  const auto move = decode_copy(whole(a, Opcode::move_left));
  ASSERT_TRUE(move.has_value());
  EXPECT_EQ(move->engine, CopyEngine::mesh);
  EXPECT_EQ(move->a.count(), 16U);
  EXPECT_EQ(move->b.count(), 16U);
  EXPECT_EQ(move->b.level[1].net, 0);
  EXPECT_EQ(move->columns, -1);
  EXPECT_TRUE(move->uses_a());
  EXPECT_FALSE(move->fill);
  EXPECT_EQ(mesh_receiver(*move, 9), 8);
  EXPECT_EQ(mesh_receiver(*move, 8), std::nullopt);
}

TEST(Copy, FillsAndParameterLoads) {
  Assembly fill(Opcode::move_up);
  fill.set("b.start", 7).set("fill", 1).set("pattern", 0x80808080);
  const auto move = decode_copy(whole(fill, Opcode::move_up));
  EXPECT_TRUE(move->fill);
  EXPECT_EQ(move->pattern, 0x80808080U);
  EXPECT_FALSE(move->uses_a());
  Assembly load(Opcode::wide_to_narrow);
  load.set("numbers", 1).set("a.start", 2078);
  EXPECT_TRUE(decode_copy(whole(load, Opcode::wide_to_narrow))->numbers);
  EXPECT_FALSE(decode_nest(whole(load, Opcode::wide_to_narrow)).has_value());
  EXPECT_FALSE(decode_copy(whole(convolution(), Opcode::tensor)).has_value());
}

// Two groups of channels, the last one with two of four words.
TEST(Traversal, AShorterLastPass) {
  Traversal t;
  t.start = 10;
  t.size = 3;
  t.level[0] = {1, 4, 0};
  t.level[1] = {3, 2, 0};   // pixels of six words: 6 - 3
  t.level[2] = {-5, 2, 0};  // the next group: 4 - 9
  t.make_net();
  EXPECT_EQ(t.count(), 16U);
  EXPECT_EQ(t.highest(), 23);
  t.set_short(2, 2);
  EXPECT_EQ(t.full_count(), 16U);
  EXPECT_EQ(t.count(), 12U);
  EXPECT_EQ(t.lowest(), 10);
  EXPECT_EQ(t.highest(), 21);
  std::vector<int64_t> seen;
  walk(t, 100, [&](int64_t at) { seen.push_back(at); });
  EXPECT_EQ(seen, (std::vector<int64_t>{10, 11, 12, 13, 16, 17, 18, 19, 14, 15, 20, 21}));
  t.set_short(0, 2);  // the innermost level has no shorter pass
  EXPECT_EQ(t.count(), 16U);
}

}  // namespace
}  // namespace edgetwin::edgetpu
