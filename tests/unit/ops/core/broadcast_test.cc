#include "ops/core/broadcast.h"
#include "ops/core/checks.h"

#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

// The walk, spelled out element by element.
std::vector<std::pair<int64_t, int64_t>> pairs(const Shape& a, const Shape& b) {
  const Shape out = broadcast(a, b).value();
  std::vector<std::pair<int64_t, int64_t>> result;
  BroadcastPlan::make(a, b, out).for_each_run(
      [&](int64_t ia, int64_t ib, int64_t io, int64_t n, int64_t sa, int64_t sb) {
        EXPECT_EQ(io, static_cast<int64_t>(result.size()));
        for (int64_t i = 0; i < n; ++i) result.emplace_back(ia + i * sa, ib + i * sb);
      });
  EXPECT_EQ(static_cast<int64_t>(result.size()), out.elements());
  return result;
}

// The offset in `shape` of the element that index `linear` of `out` comes from.
int64_t source(const Shape& shape, const Shape& out, int64_t linear) {
  int64_t offset = 0;
  int64_t stride = 1;
  for (int i = 0; i < out.rank(); ++i) {
    const int64_t index = linear % out.back(i);
    linear /= out.back(i);
    if (i < shape.rank() && shape.back(i) != 1) offset += index * stride;
    stride *= shape.back(i);
  }
  return offset;
}

TEST(Broadcast, EveryElementComesFromItsIndex) {
  const std::vector<std::pair<Shape, Shape>> cases = {
      {{2, 3}, {2, 3}},
      {{2, 3}, {}},
      {{}, {}},
      {{2, 1, 3}, {4, 1}},
      {{2, 3, 4}, {4}},
      {{2, 3, 4}, {3, 1}},
      {{1, 2, 1, 2, 1, 2, 1, 2}, {2, 1, 2, 1, 2, 1, 2, 1}},
      {{2, 1, 1, 5}, {2, 3, 4, 1}}};
  for (const auto& [a, b] : cases) {
    const Shape out = broadcast(a, b).value();
    const auto found = pairs(a, b);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].first, source(a, out, static_cast<int64_t>(i))) << to_string(a);
      EXPECT_EQ(found[i].second, source(b, out, static_cast<int64_t>(i))) << to_string(b);
    }
  }
}

TEST(Broadcast, EmptyHasNoRuns) {
  EXPECT_TRUE(pairs({0, 3}, {3}).empty());
  EXPECT_TRUE(pairs({0}, {1}).empty());
}

TEST(Broadcast, AlikeDimensionsBecomeOneRun) {
  int runs = 0;
  const Shape s{2, 3, 4};
  BroadcastPlan::make(s, {}, s).for_each_run(
      [&](int64_t, int64_t, int64_t, int64_t n, int64_t sa, int64_t sb) {
        ++runs;
        EXPECT_EQ(n, 24);
        EXPECT_EQ(sa, 1);
        EXPECT_EQ(sb, 0);
      });
  EXPECT_EQ(runs, 1);
}

TEST(Broadcast, SizesWithinTheLimit) {
  EXPECT_TRUE(within_limits(DType::int8, {1 << 15, 1 << 15}));
  EXPECT_FALSE(within_limits(DType::int16, {1 << 15, 1 << 15}));
  EXPECT_FALSE(within_limits(DType::int8, {0, INT64_MAX, INT64_MAX}));
  EXPECT_FALSE(within_limits(DType::int8, {-1}));
}

}  // namespace
}  // namespace edgetwin::ops
