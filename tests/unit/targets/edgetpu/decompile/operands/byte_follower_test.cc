#include "targets/edgetpu/decompile/operands/byte_follower.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

// Two words of request 3, and a matrix that turns their eight bytes round.
struct Turned {
  Replay replay;
  std::vector<DecompiledLayer> layers;
  std::vector<int> layer_of{0};
  Turned() {
    Traces& t = replay.traces;
    t.nodes = {{-4, 0}, {-4, 1}, {0, 0}, {0, 1}};
    t.pixels = {{0, {0, 1}}};
    DecompiledLayer l;
    l.rows = {7, 6, 5, 4, 3, 2, 1, 0};
    layers.push_back(l);
  }
  Follower follower() const { return {replay, layers, layer_of}; }
};

TEST(Follower, ABytesWayThroughAMatrix) {
  const Turned t;
  Follower f = t.follower();
  EXPECT_EQ(f.byte(1, 2), (FollowedByte{3, 6}));
  EXPECT_TRUE(f.through().empty());
  EXPECT_EQ(f.byte(2, 1), (FollowedByte{3, 6}));
  EXPECT_EQ(f.byte(3, 3), (FollowedByte{3, 0}));
  EXPECT_EQ(f.through(), (std::set<size_t>{0}));
}

TEST(Follower, RowsOfZerosLeadNowhere) {
  Turned t;
  t.layers[0].rows[2] = -1;
  Follower f = t.follower();
  EXPECT_FALSE(f.byte(2, 2));
  EXPECT_TRUE(f.byte(2, 3));
  t.layer_of[0] = -1;
  EXPECT_FALSE(t.follower().byte(2, 3));
  EXPECT_FALSE(f.byte(4, 0));
  EXPECT_FALSE(f.byte(-1, 0));
}

TEST(Follower, RowsAtAPitch) {
  Replay replay;
  replay.traces.nodes = {{-1, 0}, {-1, 2}, {-2, 4}};
  const std::vector<DecompiledLayer> none;
  const std::vector<int> nobody;
  Follower f(replay, none, nobody);
  const std::vector<int32_t> words{0, 1};
  EXPECT_EQ(f.rows(words, 8, 0, 4, 8), 0U);
  EXPECT_FALSE(f.rows(words, 8, 0, 8, 8));
  EXPECT_FALSE(f.rows(words, 9, 0, 4, 8));
  EXPECT_FALSE(f.rows(words, 8, 4, 4, 8));
  EXPECT_FALSE(f.rows(words, 0, 0, 4, 8));
  // Of another request.
  EXPECT_FALSE(f.rows(std::vector<int32_t>{0, 1, 2}, 12, 0, 4, 8));
}

// A matrix that reads its own results is followed only so far.
TEST(Follower, ACircleEnds) {
  Turned t;
  t.replay.traces.pixels[0].in = {2, 3};
  EXPECT_FALSE(t.follower().byte(2, 0));
}

}  // namespace
}  // namespace edgetwin::edgetpu
