// Places in memory as the vendor's compiler gives them.
#include <gtest/gtest.h>

#include "targets/edgetpu/compile/layout/memory.h"

namespace edgetwin::edgetpu::compiler {
namespace {

std::vector<int64_t> levels_of(std::vector<Region> regions, int64_t top,
                               const std::vector<int64_t>& turn = {}) {
  EXPECT_EQ(place_by_levels(regions, turn, top), top);
  std::vector<int64_t> places;
  for (const Region& r : regions) places.push_back(r.base);
  return places;
}

// Two residual blocks of public DeepLab v3 dm05: operand, wide, filtered, sum, wide, filtered, sum,
// wide. Sums have the place of what they add to.
TEST(EdgetpuLevels, ResidualBlocksOfAPublicProgram) {
  const std::vector<Region> regions = {{4624, 0, 4},  {34656, 1, 2}, {27744, 2, 3}, {4624, 3, 8},
                                       {34656, 5, 6}, {27744, 6, 7}, {4624, 7, 9},  {34656, 9, 10}};
  EXPECT_EQ(levels_of(regions, 67024),
            (std::vector<int64_t>{34656, 0, 39280, 0, 4624, 39280, 34656, 0}));
}

// What is there at the fullest step comes first: the last one would by its size and life.
TEST(EdgetpuLevels, TheFullestStepComesFirst) {
  const std::vector<Region> regions = {{10, 0, 1}, {50, 1, 2}, {60, 2, 3}, {5, 3, 9}};
  EXPECT_EQ(levels_of(regions, 110), (std::vector<int64_t>{0, 60, 0, 60}));
}

// Steps of one operator count once in lives: the first region is longer by steps alone.
TEST(EdgetpuLevels, LivesAreCountedInOperators) {
  const std::vector<Region> regions = {{100, 0, 3}, {200, 3, 4}};
  EXPECT_EQ(levels_of(regions, 300), (std::vector<int64_t>{0, 100}));
  EXPECT_EQ(levels_of(regions, 300, {0, 0, 0, 0, 1}), (std::vector<int64_t>{200, 0}));
}

// Where levels alone take too much, what ends highest goes first.
TEST(EdgetpuLevels, ALimitIsKept) {
  const std::vector<Region> regions = {{40, 0, 3}, {30, 2, 5}, {50, 4, 7}, {20, 6, 9}, {60, 8, 9}};
  std::vector<Region> placed = regions;
  const int64_t free = place_by_levels(placed, {}, 1000);
  EXPECT_LE(place_by_levels(placed, {}, 80), free);
}

TEST(EdgetpuLevels, WhatOneStepNeedsComesLast) {
  std::vector<Region> regions = {{100, 0, 1}, {8, 0, 0}, {50, 1, 2}};
  regions[1].aside = true;
  EXPECT_EQ(levels_of(regions, 150), (std::vector<int64_t>{0, 100, 100}));
}

// A fixed region lies where it is, and others beside it.
TEST(EdgetpuLevels, WhatIsFixedLiesWhereItIs) {
  std::vector<Region> regions = {{100, 0, 3}, {20, 1, 1}, {2, 1, 2}};
  regions[1].fixed = true;
  regions[1].base = 2;
  EXPECT_EQ(levels_of(regions, 122), (std::vector<int64_t>{22, 2, 0}));
}

std::vector<int64_t> best_fit_of(std::vector<Region> regions, int64_t limit, int64_t top) {
  EXPECT_EQ(place_best_fit(regions, {}, limit), top);
  std::vector<int64_t> places;
  for (const Region& r : regions) places.push_back(r.base);
  return places;
}

// By size the second one would lie lower, by bytes times steps the first one does.
TEST(EdgetpuBestFit, ByArea) {
  EXPECT_EQ(best_fit_of({{30, 0, 3}, {40, 1, 2}}, 100, 70), (std::vector<int64_t>{0, 30}));
}

// Below the second one 80 bytes are free at the step of the last one, above it 40: it lies there.
TEST(EdgetpuBestFit, InTheSmallestGap) {
  const std::vector<Region> regions = {{80, 0, 3}, {30, 3, 5}, {20, 5, 5}};
  EXPECT_EQ(best_fit_of(regions, 150, 130), (std::vector<int64_t>{0, 80, 110}));
  EXPECT_EQ(best_fit_of(regions, 250, 110), (std::vector<int64_t>{0, 80, 0}));
}

// The beginning of public DeepLab slim: results of two layers, two rectangles of the second one, of
// which the one that is cut last finds no gap at first, and what is made of it.
TEST(EdgetpuBestFit, WhatFindsNoGapGoesFirst) {
  const std::vector<Region> regions = {
      {101400, 1, 2}, {67600, 2, 4}, {35376, 3, 7}, {37520, 4, 5}, {71808, 5, 6}};
  EXPECT_EQ(best_fit_of(regions, 196608, 169000),
            (std::vector<int64_t>{0, 101400, 37520, 0, 72896}));
}

// Three residual blocks of public DeepLab slim: results, wide ones with a border, filtered ones.
// What finds no gap goes before those that are not much larger: before all others the first three
// of these would lie at 0, 9720 and 148440.
TEST(EdgetpuBestFit, WhatFindsNoGapGoesBeforeWhatIsNotMuchLarger) {
  const std::vector<Region> regions = {
      {9720, 0, 4},  {138720, 1, 2}, {38880, 2, 3},   {9720, 3, 8},    {138720, 5, 6},
      {38880, 6, 7}, {9720, 7, 12},  {138720, 9, 10}, {38880, 10, 11}, {9720, 11, 14}};
  EXPECT_EQ(best_fit_of(regions, 196608, 187320),
            (std::vector<int64_t>{177600, 38880, 0, 38880, 48600, 0, 138720, 0, 148440, 0}));
}

TEST(EdgetpuBestFit, WhereThereIsNoRoom) {
  std::vector<Region> regions = {{60, 0, 1}, {50, 1, 2}};
  EXPECT_GT(place_best_fit(regions, {}, 100), 100);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
