#include "targets/edgetpu/compile/place/rest.h"

#include <gtest/gtest.h>

#include <random>

namespace edgetwin::edgetpu::compiler {
namespace {

enum Kind { free_, whole, fixed, table };

// A block and the tiles in which a public program has its parts.
struct Known {
  int64_t lines, uses;
  Kind kind;
  std::vector<int> tiles;
};

// 16 lines in each tile; all of a short one in the first.
TileLines table_lines(int64_t all) {
  TileLines lines{};
  for (int64_t& n : lines) {
    n = std::min<int64_t>(16, all);
    all -= n;
  }
  return lines;
}

void expect_tiles(const std::vector<Known>& known, int64_t most) {
  std::vector<RestingBlock> blocks;
  for (const Known& k : known) {
    RestingBlock b{k.lines, k.uses, k.kind == whole, k.kind == fixed, k.kind == table, {}};
    if (k.kind == table) b.in_tiles = table_lines(k.lines);
    for (const int t : k.kind == fixed ? k.tiles : std::vector<int>()) {
      b.in_tiles.at(static_cast<size_t>(t)) = k.lines;
    }
    blocks.push_back(b);
  }
  const auto tiles = resting_tiles(blocks, {}, most);
  ASSERT_TRUE(tiles.has_value());
  for (size_t k = 0; k < known.size(); ++k) {
    std::vector<int> made;
    for (const PartInTile& part : tiles->at(k)) made.push_back(part.tile);
    if (known[k].kind == fixed) continue;
    EXPECT_EQ(made, known[k].tiles) << "block " << k;
  }
}

// 31 blocks, the first layers in two bands, the heads in the order of the network's operators.
TEST(EdgetpuRest, PoseNetOf353x481) {
  expect_tiles(
      {{12, 2, free_, {3}},   {5, 2, whole, {1}},   {9, 2, free_, {7}},    {9, 2, whole, {0}},
       {30, 1, free_, {4}},   {18, 1, whole, {6}},  {54, 1, free_, {5}},   {18, 1, whole, {13}},
       {81, 1, free_, {10}},  {36, 1, whole, {11}}, {153, 1, free_, {11}}, {36, 1, whole, {12}},
       {306, 1, free_, {12}}, {72, 1, whole, {8}},  {594, 1, free_, {14}}, {72, 1, whole, {15}},
       {594, 1, free_, {1}},  {72, 1, whole, {4}},  {594, 1, free_, {7}},  {72, 1, whole, {9}},
       {594, 1, free_, {0}},  {72, 1, whole, {10}}, {594, 1, free_, {3}},  {72, 1, whole, {2}},
       {594, 1, free_, {6}},  {72, 1, whole, {5}},  {594, 1, free_, {13}}, {99, 1, free_, {8}},
       {99, 1, free_, {15}},  {99, 1, free_, {9}},  {99, 1, free_, {2}}},
      2000);
}

// MobileNets with a softmax over 16 tiles: its tables rest where they are used, and make the heap
// anew between blocks of more and of fewer lines.
TEST(EdgetpuRest, MobileNetV1OfAQuarter) {
  expect_tiles({{10, 1, free_, {10}},
                {2, 1, whole, {12}},
                {3, 1, free_, {4}},
                {3, 1, whole, {11}},
                {5, 1, free_, {10}},
                {5, 1, whole, {2}},
                {9, 1, free_, {8}},
                {5, 1, whole, {5}},
                {9, 1, free_, {7}},
                {10, 1, whole, {9}},
                {17, 1, free_, {9}},
                {10, 1, whole, {10}},
                {34, 1, free_, {5}},
                {20, 1, whole, {1}},
                {66, 1, free_, {12}},
                {20, 1, whole, {3}},
                {66, 1, free_, {14}},
                {20, 1, whole, {7}},
                {66, 1, free_, {11}},
                {20, 1, whole, {15}},
                {66, 1, free_, {15}},
                {20, 1, whole, {8}},
                {66, 1, free_, {2}},
                {20, 1, whole, {4}},
                {132, 1, free_, {13}},
                {40, 1, whole, {0}},
                {260, 1, free_, {6}},
                {65, 1, fixed, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
                {251, 1, table, {}},
                {251, 1, table, {}},
                {251, 1, table, {}},
                {1, 1, table, {}}},
               1986);
}

// One tile is full when their turn comes: they rest elsewhere, but for the short one.
TEST(EdgetpuRest, MobileNetV1OfThreeQuarters) {
  expect_tiles({{10, 1, free_, {0}},
                {4, 1, whole, {12}},
                {7, 1, free_, {0}},
                {8, 1, whole, {11}},
                {26, 1, free_, {15}},
                {15, 1, whole, {2}},
                {50, 1, free_, {15}},
                {15, 1, whole, {5}},
                {75, 1, free_, {8}},
                {30, 1, whole, {9}},
                {147, 1, free_, {7}},
                {30, 1, whole, {10}},
                {294, 1, free_, {9}},
                {60, 1, whole, {1}},
                {582, 1, free_, {11}},
                {60, 1, whole, {3}},
                {582, 1, free_, {12}},
                {60, 1, whole, {7}},
                {582, 1, free_, {2}},
                {60, 1, whole, {15}},
                {582, 1, free_, {5}},
                {60, 1, whole, {8}},
                {582, 1, free_, {10}},
                {60, 1, whole, {4}},
                {1164, 1, free_, {14}},
                {120, 1, whole, {0}},
                {2316, 1, free_, {13, 6}},
                {193, 1, fixed, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
                {251, 1, table, {4}},
                {251, 1, table, {3}},
                {251, 1, table, {1}},
                {1, 1, table, {}}},
               1981);
}

// The backbone of SSD MobileNet v1, whose last layers no tile has room for.
TEST(EdgetpuRest, BlocksInSeveralTiles) {
  expect_tiles({{10, 1, free_, {3}},        {5, 1, whole, {12}},   {9, 1, free_, {3}},
                {10, 1, whole, {11}},       {34, 1, free_, {3}},   {20, 1, whole, {2}},
                {66, 1, free_, {1}},        {20, 1, whole, {5}},   {132, 1, free_, {4}},
                {40, 1, whole, {9}},        {260, 1, free_, {15}}, {40, 1, whole, {10}},
                {520, 1, free_, {8}},       {80, 1, whole, {1}},   {1032, 1, free_, {2}},
                {80, 1, whole, {3}},        {1032, 1, free_, {5}}, {80, 1, whole, {7}},
                {1032, 1, free_, {9}},      {80, 1, whole, {15}},  {1032, 1, free_, {10}},
                {80, 1, whole, {8}},        {1032, 1, free_, {7}}, {80, 1, whole, {4}},
                {2064, 1, free_, {12, 11}}, {160, 1, whole, {0}},  {4112, 1, free_, {14, 13, 6}}},
               1930);
}

// DeepLab v3 dm05: a dense layer of four blocks rests where it is used.
TEST(EdgetpuRest, BesideAFixedBlock) {
  expect_tiles({{10, 1, free_, {8}},   {3, 1, whole, {5}},          {5, 1, free_, {1}},
                {3, 2, free_, {3}},    {8, 2, whole, {0}},          {13, 2, free_, {1}},
                {8, 1, free_, {4}},    {12, 1, whole, {14}},        {19, 1, free_, {9}},
                {8, 1, free_, {7}},    {12, 1, whole, {14}},        {19, 1, free_, {0}},
                {10, 1, free_, {15}},  {15, 1, whole, {14}},        {25, 1, free_, {8}},
                {10, 1, free_, {1}},   {15, 1, whole, {13}},        {25, 1, free_, {15}},
                {10, 1, free_, {4}},   {15, 1, whole, {13}},        {25, 1, free_, {7}},
                {27, 1, free_, {1}},   {30, 1, whole, {12}},        {49, 1, free_, {10}},
                {27, 1, free_, {9}},   {30, 1, whole, {11}},        {49, 1, free_, {15}},
                {27, 1, free_, {4}},   {30, 1, whole, {6}},         {49, 1, free_, {7}},
                {27, 1, free_, {0}},   {30, 1, whole, {5}},         {49, 1, free_, {8}},
                {65, 1, free_, {1}},   {45, 1, whole, {4}},         {73, 1, free_, {9}},
                {65, 1, free_, {0}},   {45, 1, whole, {9}},         {73, 1, free_, {4}},
                {65, 1, free_, {10}},  {45, 1, whole, {10}},        {146, 1, free_, {3}},
                {168, 1, free_, {5}},  {75, 1, whole, {8}},         {242, 1, free_, {11}},
                {168, 1, free_, {12}}, {75, 1, whole, {15}},        {242, 1, free_, {13}},
                {168, 1, free_, {14}}, {75, 1, whole, {7}},         {363, 1, free_, {6}},
                {164, 1, free_, {2}},  {41, 1, fixed, {0, 1, 2, 3}}},
               2000);
}

TEST(EdgetpuRest, EveryLineHasAPlaceOrThereIsNone) {
  std::mt19937 random(7);
  size_t refused = 0;
  for (int n = 0; n < 200; ++n) {
    std::vector<RestingBlock> blocks(1 + random() % 120);
    for (RestingBlock& b : blocks) {
      b.lines = 1 + static_cast<int64_t>(random() % (n % 2 == 0 ? 8 : 300));
      b.whole = random() % 3 == 0;
      b.uses = 1 + static_cast<int64_t>(random() % 2);
    }
    constexpr int64_t kMost = 700;
    const auto tiles = resting_tiles(blocks, {}, kMost);
    if (!tiles) {
      ++refused;
      continue;
    }
    TileLines used{};
    for (size_t k = 0; k < blocks.size(); ++k) {
      int64_t lines = 0;
      for (const PartInTile& part : tiles->at(k)) {
        lines += part.lines;
        used.at(static_cast<size_t>(part.tile)) += part.lines;
      }
      EXPECT_EQ(lines, blocks[k].lines);
      if (blocks[k].whole) {
        EXPECT_EQ(tiles->at(k).size(), 1u);
      }
    }
    for (const int64_t lines : used) EXPECT_LE(lines, kMost);
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, 200u);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
