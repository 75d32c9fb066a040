#include "targets/edgetpu/decompile/stages/classify.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

using WalkedLevels = std::vector<std::pair<int64_t, int64_t>>;  // net stride, count

Traversal walked(const WalkedLevels& levels) {
  Traversal t;
  t.size = levels.size();
  for (size_t k = 0; k < levels.size(); ++k) {
    t.level[k].net = levels[k].first;
    t.level[k].count = levels[k].second;
  }
  return t;
}

StageKind kind_of_levels(const WalkedLevels& in, const WalkedLevels& out) {
  Nest n;
  n.kind = 0x38;
  n.multiplier = 0.5F;
  n.in = walked(in);
  n.out = walked(out);
  return classify(n);
}

TEST(Classify, DepthwiseLayersWalkOverTheirWordsLast) {
  EXPECT_EQ(kind_of_levels({{4, 1}, {32, 3}, {224, 3}, {32, 4}, {224, 2}, {4, 8}},
                           {{4, 1}, {32, 8}, {4, 8}}),
            StageKind::depthwise);
  EXPECT_EQ(kind_of_levels({{4, 1}, {32, 3}, {224, 3}, {4, 8}}, {{4, 1}, {4, 8}}),
            StageKind::depthwise);
}

// 5 x 5 over 32 channels to one word, at 4 x 2 positions: as many as the input has words.
TEST(Classify, AsManyPositionsAsWordsAreNoDepthwiseLayer) {
  EXPECT_EQ(
      kind_of_levels({{4, 1}, {32, 5}, {256, 5}, {32, 4}, {256, 2}, {4, 8}}, {{4, 1}, {4, 8}}),
      StageKind::conv);
}

}  // namespace
}  // namespace edgetwin::edgetpu
