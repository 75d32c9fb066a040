#include "ops/core/pieces.h"

#include <gtest/gtest.h>

#include <vector>

namespace edgetwin::ops {
namespace {

TEST(Pieces, OfAllSizesAreCopiedAndNothingElse) {
  constexpr int64_t kCount = 7;
  for (int64_t bytes = 0; bytes <= 300; ++bytes) {
    const int64_t to_step = bytes + bytes % 5, from_step = bytes + bytes % 3;
    std::vector<std::byte> from(static_cast<size_t>(kCount * from_step + 1));
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 37 % 251);
    const std::vector<std::byte> before(static_cast<size_t>(kCount * to_step + 1), std::byte{0xEE});
    std::vector<std::byte> expected = before, to = before;
    for (int64_t n = 0; n < kCount; ++n) {
      for (int64_t i = 0; i < bytes; ++i) {
        expected[static_cast<size_t>(n * to_step + i)] =
            from[static_cast<size_t>(n * from_step + i)];
      }
    }
    copy_pieces({.to = to.data(),
                 .from = from.data(),
                 .to_step = to_step,
                 .from_step = from_step,
                 .bytes = bytes,
                 .count = kCount});
    EXPECT_EQ(to, expected) << bytes << " bytes";
  }
}

TEST(Pieces, FewAtATimeAreAll) {
  for (const int64_t positions : {0, 1, 255, 256, 257, 1000}) {
    int64_t next = 0;
    each_few(positions, [&next](int64_t first, int64_t count) {
      EXPECT_EQ(first, next);
      EXPECT_GT(count, 0);
      next += count;
    });
    EXPECT_EQ(next, positions);
  }
}

}  // namespace
}  // namespace edgetwin::ops
