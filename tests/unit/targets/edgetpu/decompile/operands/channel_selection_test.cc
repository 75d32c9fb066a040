#include "targets/edgetpu/decompile/operands/channel_selection.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

// Two inputs of three and five channels, and two layers of eight and three.
struct SelectedNetwork {
  std::vector<DecompiledLayer> layers;
  std::vector<Stage> stages;
  std::vector<int> layer_of;
  darwinn::Executable inference;
  bool certain = true;

  SelectedNetwork() {
    add_input(3);
    add_input(5);
    add_layer(8);
    add_layer(3);
    stages.emplace_back();  // a copy
    layer_of.push_back(-1);
  }
  void add_input(int channels) {
    darwinn::Layer l;
    l.y_dim = l.x_dim = 4;
    l.z_dim = channels;
    inference.inputs.push_back(l);
  }
  void add_layer(int channels) {
    Stage s;
    s.written_words = (channels + 3) / 4;
    DecompiledLayer l;
    l.out = {4, 4, channels};
    l.stages = {stages.size()};
    layer_of.push_back(static_cast<int>(layers.size()));
    stages.push_back(s);
    layers.push_back(l);
  }
  WordMakers makers() const { return {layers, stages, layer_of, inference, certain}; }
};

Origin of_input(int input, int word) { return {-1 - input, word}; }
Origin of_stage(int stage, int word) { return {kFirstStage + stage, word}; }

ChannelVotes votes(const std::vector<Origin>& words) {
  ChannelVotes v;
  for (const Origin& o : words) v.push_back({{o, 10}});
  return v;
}

using Ranges = std::vector<ChannelRange>;

TEST(OperandOfChannels, WholeProducersSideBySideInTheOrderOfThePixel) {
  const SelectedNetwork n;
  const auto o = operand_of_channels(
      votes({of_input(1, 0), of_input(1, 1), of_stage(1, 0), of_stage(0, 0), of_stage(0, 1)}),
      n.makers());
  ASSERT_TRUE(o);
  EXPECT_EQ(o->from, (std::vector<Producer>{-2, 1, 0}));
  EXPECT_TRUE(o->taken.empty());
}

TEST(OperandOfChannels, APartOfAProducer) {
  const SelectedNetwork n;
  const auto o = operand_of_channels(votes({of_stage(0, 1), of_input(1, 1)}), n.makers());
  ASSERT_TRUE(o);
  EXPECT_EQ(o->from, (std::vector<Producer>{0, -2}));
  EXPECT_EQ(o->taken, (Ranges{{4, 4}, {4, 1}}));
}

TEST(OperandOfChannels, PaddingDoesNotCount) {
  const SelectedNetwork n;
  ChannelVotes v = votes({of_stage(0, 0), of_stage(0, 1)});
  v[0][{kConstant, -1}] = 1000;
  const auto o = operand_of_channels(v, n.makers());
  ASSERT_TRUE(o);
  EXPECT_EQ(o->from, (std::vector<Producer>{0}));
  EXPECT_TRUE(o->taken.empty());
}

TEST(OperandOfChannels, SaysNothingWhereItIsNotClear) {
  SelectedNetwork n;
  ChannelVotes tenth = votes({of_stage(1, 0)});
  tenth[0][of_input(0, 0)] = 2;
  EXPECT_FALSE(operand_of_channels(tenth, n.makers()));
  // A copy that moves words in another way, and words that nobody wrote.
  EXPECT_FALSE(operand_of_channels(votes({of_stage(2, 0)}), n.makers()));
  EXPECT_FALSE(operand_of_channels(votes({{kInput, -1}}), n.makers()));
  EXPECT_FALSE(operand_of_channels({{}}, n.makers()));
  // The same channels twice are two positions.
  EXPECT_FALSE(operand_of_channels(votes({of_stage(1, 0), of_stage(1, 0)}), n.makers()));
  // Instructions that write half a pixel each number their own words.
  n.stages[0].written_words = 1;
  EXPECT_FALSE(operand_of_channels(votes({of_stage(0, 0)}), n.makers()));
  // Inputs that share a buffer and were not read as often as it was filled.
  n.certain = false;
  EXPECT_FALSE(operand_of_channels(votes({of_input(0, 0)}), n.makers()));
}

TEST(OperandOfChannels, DifferentWaysOfReadingAreNoVotes) {
  const SelectedNetwork n;
  ChannelVotes all;
  add_votes(votes({of_stage(0, 0), of_stage(0, 1)}), all);
  EXPECT_TRUE(operand_of_channels(all, n.makers()));
  add_votes(votes({of_stage(1, 0)}), all);
  EXPECT_FALSE(operand_of_channels(all, n.makers()));
}

TEST(OperandOfWords, TheHostLooksAtSoManyChannels) {
  const SelectedNetwork n;
  const auto one = operand_of_words({of_input(0, 0)}, 1, n.makers());
  ASSERT_TRUE(one);
  EXPECT_EQ(one->from, (std::vector<Producer>{-1}));
  EXPECT_EQ(one->taken, (Ranges{{0, 1}}));
  const auto all = operand_of_words({of_input(0, 0)}, 3, n.makers());
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->taken.empty());
  const auto joined = operand_of_words({of_stage(0, 1), of_stage(1, 0)}, 6, n.makers());
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->taken, (Ranges{{4, 4}, {0, 2}}));
  // Three channels and their padding in front of others are not what a host could take.
  EXPECT_FALSE(operand_of_words({of_input(0, 0), of_stage(0, 1)}, 8, n.makers()));
  EXPECT_FALSE(operand_of_words({of_input(0, 0)}, 4, n.makers()));
  EXPECT_FALSE(operand_of_words({of_input(0, 0), of_input(0, 0)}, 4, n.makers()));
}

// Parts of 3, 5 and 4 channels lie at 0, 4 and 12.
TEST(TakeChannels, AnyChannelsInAnyOrder) {
  const Operand all{{0, -1, -2}, 0, {}};
  const std::vector<int> parts{3, 5, 4};
  const auto o = take_channels(all, parts, {7, 8, 0, 14, 15, 15});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->from, (std::vector<Producer>{-1, 0, -2, -2}));
  EXPECT_EQ(o->taken, (Ranges{{3, 2}, {0, 1}, {2, 2}, {3, 1}}));
}

TEST(TakeChannels, AllOfAllIsTheOperandWithoutPadding) {
  const Operand all{{0, -1}, 0, {}};
  EXPECT_EQ(take_channels(all, {3, 5}, {0, 1, 2, 4, 5, 6, 7, 8}), all);
}

TEST(TakeChannels, OfPartsOfProducers) {
  const Operand some{{0, 1}, 0, {{4, 3}, {8, 2}}};
  const auto o = take_channels(some, {3, 2}, {5, 1});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->from, (std::vector<Producer>{1, 0}));
  EXPECT_EQ(o->taken, (Ranges{{9, 1}, {5, 1}}));
}

TEST(TakeChannels, PaddingIsNobodysChannel) {
  const Operand all{{0, 1}, 0, {}};
  EXPECT_FALSE(take_channels(all, {3, 4}, {0, 3}));
  EXPECT_FALSE(take_channels(all, {3, 4}, {8}));
  EXPECT_FALSE(take_channels(all, {3, 4}, {}));
}

// Three channels of a picture of two positions, which stands the other way round.
Operand turned() {
  Operand o;
  o.from = {7};
  o.height = 2, o.width = 1;
  o.moved = {{{7}, {0, 3}, 3, {1, 0}}};
  return o;
}

TEST(TakeOrFillChannels, KeepsPlacesAndPutsRealZeroBetween) {
  const auto o = take_or_fill_channels(turned(), {3}, {-1, 1, 2, -1, 0}, {2, 1, 3});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->from, std::vector<Producer>{7});
  EXPECT_EQ(o->moved, (std::vector<MovedPart>{{{7}, {0, 1}, 1, {-1, -1}},
                                              {{7}, {1, 2}, 2, {1, 0}},
                                              {{7}, {0, 1}, 1, {-1, -1}},
                                              {{7}, {0, 1}, 1, {1, 0}}}));
}

TEST(TakeOrFillChannels, OfPicturesSideBySideEachBeginsAWord) {
  const Operand both{{4, 5}, 0, {{1, 3}, {0, 2}}};
  const auto o = take_or_fill_channels(both, {3, 2}, {0, 1, 2, 4, 5, -1}, {1, 2, 5});
  ASSERT_TRUE(o);
  EXPECT_EQ(o->moved,
            (std::vector<MovedPart>{
                {{4}, {1, 3}, 3, {0, 1}}, {{5}, {0, 2}, 2, {0, 1}}, {{4}, {0, 1}, 1, {-1, -1}}}));
  // Filler of a word is nobody's channel.
  EXPECT_FALSE(take_or_fill_channels(both, {3, 2}, {0, 1, 2, 3}, {1, 2, 5}));
  EXPECT_FALSE(take_or_fill_channels(both, {3, 2}, {8}, {1, 2, 5}));
}

TEST(TakeOrFillChannels, WhatIsTooLargeIsLeft) {
  const Operand one{{4}, 0, {}};
  EXPECT_FALSE(take_or_fill_channels(one, {3}, {0, -1}, {65536, 65536, 3}));
  std::vector<int> by_turns;
  for (int k = 0; k < 70; ++k) by_turns.push_back(k % 2 == 0 ? 0 : 2);
  EXPECT_FALSE(take_or_fill_channels(one, {3}, by_turns, {1, 1, 3}));
}

}  // namespace
}  // namespace edgetwin::edgetpu
