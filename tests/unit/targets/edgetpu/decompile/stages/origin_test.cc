#include "targets/edgetpu/decompile/stages/origin.h"

#include <gtest/gtest.h>

#include <set>

namespace edgetwin::edgetpu {
namespace {

Traversal walk_of(int64_t start, const std::vector<std::pair<int64_t, int64_t>>& net_and_count) {
  Traversal t;
  t.start = start;
  t.size = kLoopLevels;
  for (size_t k = 0; k < net_and_count.size(); ++k) {
    t.level[k].net = net_and_count[k].first;
    t.level[k].count = net_and_count[k].second;
  }
  return t;
}

std::map<int64_t, std::set<int64_t>> places(const ChannelWalk& w) {
  std::map<int64_t, std::set<int64_t>> all;
  w.each([&](int64_t at, int64_t word) { all[word].insert(at); });
  return all;
}

// Two words of a pixel of three words, in two steps around the pixels: a part of the channels.
TEST(ChannelWalk, WordsInTwoLevelsAroundThePixels) {
  Nest n;
  n.in = walk_of(100, {{4, 2}, {24, 3}, {8, 2}, {0, 5}});
  const auto all = places(read_channels(n, 4));
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all.at(0), (std::set<int64_t>{100, 124, 148}));
  EXPECT_EQ(all.at(3), (std::set<int64_t>{112, 136, 160}));
}

// Taps and channels in one level.
TEST(ChannelWalk, WordsOfSeveralTaps) {
  Nest n;
  n.in = walk_of(0, {{4, 6}, {8, 2}});
  const auto all = places(read_channels(n, 2));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0), (std::set<int64_t>{0, 8, 16, 24}));
}

TEST(ChannelWalk, GroupsOfOutputs) {
  Nest n;
  n.in = walk_of(0, {{4, 8}, {32, 9}, {0, 3}});
  n.out = walk_of(0, {{4, 16}, {160, 9}, {64, 3}});
  const ChannelWalk w = written_channels(n, true, false);
  EXPECT_EQ(w.words[0], 1);
  EXPECT_EQ(w.words[1], 0);
  EXPECT_EQ(w.words[2], 16);
}

// Without groups a level beside the words is positions.
TEST(ChannelWalk, PositionsSideBySideAreNoGroups) {
  Nest n;
  n.in = walk_of(0, {{4, 8}, {32, 9}});
  n.out = walk_of(0, {{4, 2}, {8, 9}});
  const ChannelWalk w = written_channels(n, true, false);
  EXPECT_EQ(w.words[1], 0);
}

TEST(ChannelWalk, DepthwiseWordsAreTheLastLevel) {
  Nest n;
  n.in = walk_of(0, {{8, 3}, {8, 256}, {4, 2}});
  n.out = walk_of(0, {{4, 1}, {8, 256}, {4, 2}});
  const ChannelWalk w = written_channels(n, true, true);
  EXPECT_EQ(w.words[1], 0);
  EXPECT_EQ(w.words[2], 1);
}

TEST(InputMap, OneInputIsTheOne) {
  darwinn::Executable e;
  e.inputs.emplace_back();
  InputMap map(e, {});
  EXPECT_EQ(map.read(0, 3, 17), 0U);
  EXPECT_TRUE(map.certain());
}

// Without a list of transfers nothing is said about several inputs.
TEST(InputMap, SeveralInputsWithoutTransfersAreUnknown) {
  darwinn::Executable e;
  e.inputs.resize(2);
  InputMap map(e, {});
  EXPECT_FALSE(map.read(0, 0, 0));
}

}  // namespace
}  // namespace edgetwin::edgetpu
