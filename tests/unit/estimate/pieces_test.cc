#include "estimate/espdl/pieces.h"

#include <gtest/gtest.h>

namespace edgetwin::estimates {
namespace {

TEST(EstimatePieces, TheSmallestFreePieceThatFitsIsTaken) {
  Pieces p;
  EXPECT_EQ(p.take(100), 0);  // 112 bytes
  EXPECT_EQ(p.take(16), 112);
  EXPECT_EQ(p.take(48), 128);
  EXPECT_EQ(p.take(16), 176);
  p.give_back(0);
  p.give_back(128);
  EXPECT_EQ(p.take(40), 128);  // 48 is smaller than 112
  EXPECT_EQ(p.take(16), 0);
  EXPECT_EQ(p.end(), 192);
}

TEST(EstimatePieces, FreeNeighboursBecomeOne) {
  Pieces p;
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(p.take(32), 32 * i);
  p.give_back(32);
  p.give_back(64);
  EXPECT_EQ(p.take(64), 32);
}

TEST(EstimatePieces, AFreeLastPieceGrows) {
  Pieces p;
  EXPECT_EQ(p.take(32), 0);
  EXPECT_EQ(p.take(16), 32);
  p.give_back(32);
  EXPECT_EQ(p.take(64), 32);
  EXPECT_EQ(p.end(), 96);
}

TEST(EstimatePieces, AFixedMemoryDoesNotGrow) {
  Pieces p(64);
  EXPECT_EQ(p.take(48), 0);
  EXPECT_FALSE(p.take(32).has_value());
  EXPECT_EQ(p.take(16), 48);
}

}  // namespace
}  // namespace edgetwin::estimates
