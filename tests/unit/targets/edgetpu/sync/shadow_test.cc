#include "targets/edgetpu/sync/shadow.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu::sync {
namespace {

// Two engines of tile 3 and a word between them.
class TwoEngines : public ::testing::Test {
 protected:
  static constexpr size_t kTile = 3, kWriter = 10, kReader = 8;
  std::vector<Lane> lanes_ = std::vector<Lane>(kLanes);
  Shadow shadow_;

  Shadow::Access next(size_t lane, uint32_t step) {
    const size_t n = kTile * kTileLanes + lane;
    lanes_[n].clock.count(n);
    const uint32_t number = lanes_[n].clock[n];
    lanes_[n].history.emplace_back(number, step);
    return {&lanes_, kTile, lane, step, number};
  }
  void knows(size_t lane, size_t other) {
    lanes_[kTile * kTileLanes + lane].clock.join(lanes_[kTile * kTileLanes + other].clock);
  }
};

TEST_F(TwoEngines, ALineBehindAnotherSendersNeedsItsTurn) {
  shadow_.send(next(kWriter, 1), 0);
  shadow_.send(next(kReader, 2), 1);  // the other ring
  EXPECT_TRUE(shadow_.races().empty());
  knows(kReader, kWriter);
  shadow_.send(next(kReader, 3), 0);
  EXPECT_TRUE(shadow_.races().empty());
  shadow_.send(next(kWriter, 4), 0);
  ASSERT_EQ(shadow_.races().size(), 1U);
  EXPECT_EQ(shadow_.races()[0].memory, Memory::ring);
  EXPECT_EQ(shadow_.races()[0].step, 4U);
  EXPECT_EQ(shadow_.races()[0].other, 3U);
}

TEST_F(TwoEngines, AReadThatNothingOrdersBehindTheWriteIsFound) {
  shadow_.write(next(kWriter, 1), Memory::narrow, 77);
  shadow_.read(next(kReader, 2), Memory::narrow, 77);
  ASSERT_EQ(shadow_.races().size(), 1U);
  const Race r = shadow_.races()[0];
  EXPECT_EQ(r.kind, RaceKind::read_after_write);
  EXPECT_EQ(r.step, 2U);
  EXPECT_EQ(r.other, 1U);
  EXPECT_EQ(r.place, 77);
  EXPECT_EQ(r.tiles, 1U << kTile);
}

TEST_F(TwoEngines, OrderedAccessesAreNone) {
  shadow_.write(next(kWriter, 1), Memory::wide, 5);
  knows(kReader, kWriter);
  shadow_.read(next(kReader, 2), Memory::wide, 5);
  knows(kWriter, kReader);
  shadow_.write(next(kWriter, 3), Memory::wide, 5);
  EXPECT_TRUE(shadow_.races().empty());
}

TEST_F(TwoEngines, AWriteOverWhatIsStillReadIsFound) {
  shadow_.write(next(kWriter, 1), Memory::wide, 5);
  knows(kReader, kWriter);
  shadow_.read(next(kReader, 2), Memory::wide, 5);
  shadow_.write(next(kWriter, 3), Memory::wide, 5);
  ASSERT_EQ(shadow_.races().size(), 1U);
  EXPECT_EQ(shadow_.races()[0].kind, RaceKind::write_after_read);
  EXPECT_EQ(shadow_.races()[0].other, 2U);
}

// Which of two equal writes comes last does not matter; words that are all one number may be equal
// by chance.
TEST_F(TwoEngines, TwoWritesOfTheSameBytesAreToldApart) {
  shadow_.write(next(kWriter, 1), Memory::narrow, 7, Shadow::Change{0, 0x01020304});
  shadow_.write(next(kWriter, 1), Memory::narrow, 8, Shadow::Change{0, 0x05060708});
  shadow_.write(next(kReader, 2), Memory::narrow, 7, Shadow::Change{0x01020304, 0x01020304});
  ASSERT_EQ(shadow_.races().size(), 1U);
  EXPECT_FALSE(shadow_.races()[0].same_bytes());
  shadow_.write(next(kReader, 2), Memory::narrow, 8, Shadow::Change{0x05060708, 0x05060708});
  ASSERT_EQ(shadow_.races().size(), 1U);
  EXPECT_TRUE(shadow_.races()[0].same_bytes());
  EXPECT_EQ(shadow_.races()[0].count, 2U);
}

TEST_F(TwoEngines, OneOtherWordAmongEqualOnesIsARace) {
  for (const int64_t word : {7, 8, 9}) {
    shadow_.write(next(kWriter, 1), Memory::narrow, word,
                  Shadow::Change{0, static_cast<uint32_t>(word)});
  }
  for (const uint32_t word : {7U, 8U}) {
    shadow_.write(next(kReader, 2), Memory::narrow, word, Shadow::Change{word, word});
  }
  EXPECT_TRUE(shadow_.races()[0].same_bytes());
  shadow_.write(next(kReader, 2), Memory::narrow, 9, Shadow::Change{9, 1});
  EXPECT_FALSE(shadow_.races()[0].same_bytes());
}

}  // namespace
}  // namespace edgetwin::edgetpu::sync
