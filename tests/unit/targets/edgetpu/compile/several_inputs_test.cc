// Groups with several inputs: their rows come through the same buffers of narrow memory, one after
// the other, with one row in a tile or several.
#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/family_networks.h"
#include "unit/targets/edgetpu/compile/on_chip.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// One row in each tile, then two: TPU-CHIP-05 before the machine told them apart.
TEST(EdgetpuCompileInputs, OneRowThenTwo) {
  FamilyNetwork net(Trained::int8, 1);
  const ValueId small = net.input(4, 4, 16), large = net.input(8, 8, 8);
  const ValueId swish = net.product(small, net.logistic(small));
  const ValueId made = net.conv(net.join(net.nearest(swish, 2, 2), large), 8);
  const ValueId other = net.product(made, net.logistic(made));
  expect_twin_bytes(net.finish(net.conv(net.sum(other, large), 11)));
}

TEST(EdgetpuCompileInputs, TwoRowsThenOne) {
  FamilyNetwork net(Trained::int8, 2);
  const ValueId large = net.input(8, 8, 8), small = net.input(4, 4, 16);
  expect_twin_bytes(net.finish(net.join(net.nearest(net.logistic(small), 2, 2), large)));
}

// Rows of 320 bytes come in two lines of 256: the rest of the first input is nobody's, and the
// second input's reader took it.
TEST(EdgetpuCompileInputs, RestOfALine) {
  FamilyNetwork net(Trained::int8, 3);
  const ValueId x = net.input(4, 10, 32), y = net.input(4, 10, 32);
  expect_twin_bytes(net.finish(net.sum(x, y)));
}

TEST(EdgetpuCompileInputs, ThreeOfThreeSizes) {
  for (const bool largest_first : {false, true}) {
    FamilyNetwork net(Trained::int8, 4);
    std::vector<ValueId> in(3);
    for (const size_t k : {size_t{0}, size_t{1}, size_t{2}}) {
      const size_t n = largest_first ? 2 - k : k;
      const int side = 4 << n;
      in[n] = net.input(side, side, 16 >> n);
    }
    SCOPED_TRACE(largest_first);
    const ValueId small = net.nearest(net.nearest(in[0], 2, 2), 2, 2);
    expect_twin_bytes(net.finish(net.join(net.join(small, net.nearest(in[1], 2, 2)), in[2])));
  }
}

// One row, two, one; two, one, two.
TEST(EdgetpuCompileInputs, AnotherSizeBetween) {
  FamilyNetwork net(Trained::int8, 5);
  const ValueId a = net.input(4, 4, 16), b = net.input(8, 8, 8), c = net.input(4, 4, 16);
  expect_twin_bytes(net.finish(net.join(net.nearest(net.sum(a, c), 2, 2), b)));
  FamilyNetwork other(Trained::int8, 6);
  const ValueId d = other.input(8, 8, 8), e = other.input(4, 4, 16), f = other.input(8, 8, 8);
  expect_twin_bytes(other.finish(other.join(other.nearest(e, 2, 2), other.sum(d, f))));
}

// Channels that a matrix brings into words.
TEST(EdgetpuCompileInputs, PicturesOfFewChannels) {
  for (const int channels : {1, 3}) {
    SCOPED_TRACE(channels);
    FamilyNetwork net(Trained::int8, 7);
    const ValueId x = net.input(28, 28, channels), y = net.input(4, 28, channels);
    expect_twin_bytes(net.finish(net.join_along(1, {net.conv(x, 4, 3), net.conv(y, 4, 3)})));
  }
}

TEST(EdgetpuCompileInputs, ReadTwice) {
  FamilyNetwork net(Trained::int8, 8);
  const ValueId x = net.input(8, 8, 8), y = net.input(4, 8, 8);
  const ValueId twice = net.join_along(1, {net.sum(x, x), y, net.product(y, y)});
  expect_twin_bytes(net.finish(net.join(twice, twice)));
}

// Any number of inputs of any sizes, joined along the rows.
TEST(EdgetpuCompileInputs, OfAnySize) {
  for (uint32_t seed = 20; seed < 32; ++seed) {
    SCOPED_TRACE(seed);
    FamilyNetwork net(Trained::any, seed);
    const int width = 4 + net.below(20), channels = 4 * (1 + net.below(8));
    std::vector<ValueId> parts;
    for (int n = 2 + net.below(2); n > 0; --n) {
      parts.push_back(net.input(1 + net.below(16), width, channels));
    }
    expect_proven(net.finish(net.join_along(1, parts)));
  }
}

// Pictures without an axis of one: columns were taken for a list of positions.
TEST(EdgetpuCompileInputs, PartsOfThreeAxes) {
  for (const Shape& shape : {Shape({4, 1, 1}), Shape({2, 1, 2}), Shape({6, 5, 8})}) {
    for (const int axis : {0, 1}) {
      SCOPED_TRACE(to_string(shape) + " along " + std::to_string(axis));
      FamilyNetwork net(Trained::int8, 10);
      const ValueId x = net.input_of(shape), y = net.input_of(shape);
      const ValueId sum = net.sum(x, y), difference = net.difference(x, y);
      expect_twin_bytes(net.finish(net.join_along(axis, {sum, difference})));
    }
  }
}

// Lists that lie in several rows of tiles, one after the other.
TEST(EdgetpuCompileInputs, ListsOfPositions) {
  for (const int axis : {0, 1}) {
    SCOPED_TRACE(axis);
    FamilyNetwork net(Trained::int8, 11);
    const ValueId x = net.input_of({1, 2000, 4}), y = net.input_of({1, 2000, 4});
    expect_proven(net.finish(net.join_along(axis, {x, net.sum(x, y)})));
  }
}

// Rows of five axes are not those of a picture.
TEST(EdgetpuCompileInputs, PartsOfFiveAxesHaveARule) {
  FamilyNetwork net(Trained::int8, 12);
  const ValueId x = net.input_of({1, 4, 4, 2, 8}), y = net.input_of({1, 4, 4, 2, 8});
  const Partition p = partition_of(net.finish(net.join_along(3, {x, y})));
  ASSERT_TRUE(p.ops[0].refusal);
  EXPECT_EQ(p.ops[0].refusal->rule, Rule::shape);
}

// The group gives back what another reads as well, and one output under two names.
TEST(EdgetpuCompileInputs, OutputsThatAreRead) {
  FamilyNetwork net(Trained::int8, 9);
  const ValueId x = net.input(8, 8, 8), y = net.input(4, 4, 16);
  const ValueId sum = net.sum(x, net.conv(x, 8, 1));
  const ValueId larger = net.nearest(y, 2, 2);
  expect_proven(net.ends({sum, net.logistic(sum), larger, sum, y}));
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
