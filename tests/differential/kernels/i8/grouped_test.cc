// Groups of steps: nothing of a weight is lost, and no group has more than its words hold.
#include "kernels/i8/grouped.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "differential/kernels/random_layer.h"

namespace edgetwin::kernels::test {
namespace {

constexpr int kLanes = 16, kRuns = 3, kSteps = 7, kBlocks = 2;
constexpr size_t kValues = kLanes * 4;

std::vector<int16_t> draw_block(Random& random, int most) {
  std::vector<int16_t> words(kRuns * kSteps * kValues);
  for (int16_t& w : words) {
    const bool large = random.between(0, 300) == 0;
    w = static_cast<int16_t>(large ? random.between(-255, 255) : random.between(-most, most));
  }
  return words;
}

// What the steps of a block add up to, by their places.
class Added {
 public:
  explicit Added(const GroupedWeights& from) : from_(from) {}

  std::vector<int> block(const ByteGroups& groups) {
    sums_.assign(kRuns * kSteps * kValues, 0);
    at_ = static_cast<size_t>(groups.first);
    for (int size = 4; size > 0; --size) {
      for (int32_t n = groups.count[size - 1]; n > 0; --n) group(size);
    }
    return sums_;
  }
  size_t end() const { return at_; }

 private:
  void group(int size) {
    std::vector<int> positive(kValues / 2, 0), negative(kValues / 2, 0);
    for (int s = 0; s < size; ++s, ++at_) {
      const ByteStep& step = from_.steps[at_];
      const auto place = static_cast<size_t>(step.run * kSteps + step.offset / 4) * kValues;
      for (size_t i = 0; i < kValues; ++i) {
        const int w = from_.weights.data()[at_ * kValues + i];
        sums_[place + i] += w;
        (w > 0 ? positive : negative)[i / 2] += std::abs(w);
      }
    }
    for (const int m : positive) EXPECT_LE(m, 128);
    for (const int m : negative) EXPECT_LE(m, 128);
  }

  const GroupedWeights& from_;
  std::vector<int> sums_;
  size_t at_ = 0;
};

TEST(GroupedWeights, AddUpToTheWeightsWithinTheirLimits) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    const int most = random.pick({0, 4, 8, 12});
    std::vector<std::vector<int16_t>> blocks;
    for (int b = 0; b < kBlocks; ++b) blocks.push_back(draw_block(random, most));
    const auto read = [&](int block, int16_t* words) {
      std::ranges::copy(blocks[static_cast<size_t>(block)], words);
    };
    const auto grouped = group_weights({read, kBlocks, kRuns, kSteps, kLanes});
    ASSERT_TRUE(grouped) << most;
    Added added(*grouped);
    for (size_t b = 0; b < kBlocks; ++b) {
      const std::vector<int> sums = added.block(grouped->groups[b]);
      EXPECT_EQ(sums, std::vector<int>(blocks[b].begin(), blocks[b].end()));
    }
    EXPECT_EQ(added.end(), grouped->steps.size());
  }
}

TEST(GroupedWeights, LargeWeightsStayWords) {
  const auto read = [](int, int16_t* words) {
    std::fill_n(words, kRuns * kSteps * kValues, int16_t{100});
  };
  EXPECT_FALSE(group_weights({read, kBlocks, kRuns, kSteps, kLanes}));
}

}  // namespace
}  // namespace edgetwin::kernels::test
