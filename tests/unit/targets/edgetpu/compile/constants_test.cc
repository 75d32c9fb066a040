// Constants that are taken as pictures and vectors are.
#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// A number for each element, for each channel, or one; the constant is the first operand or the
// second.
TEST(EdgetpuCompileConstants, SumsDifferencesAndProducts) {
  uint32_t seed = 0;
  for (const Shape& shape : {Shape({7, 9, 5}), Shape({1, 7, 9, 5}), Shape({5}), Shape({1})}) {
    for (const bool first : {false, true}) {
      for (const int kind : {0, 1, 2}) {
        RandomNetwork net(++seed);
        ValueId x = net.input(7, 9, 5), y = net.noise(shape);
        if (first) std::swap(x, y);
        const ValueId to = kind == 0   ? net.sum(x, y)
                           : kind == 1 ? net.difference(x, y)
                                       : net.product(x, y);
        SCOPED_TRACE(to_string(shape) + (first ? " first, " : " second, ") + std::to_string(kind));
        expect_twin_bytes(net.finish(to));
      }
    }
  }
}

TEST(EdgetpuCompileConstants, GreaterAndLesserOfTwo) {
  for (const Shape& shape : {Shape({1, 8, 8, 12}), Shape({1})}) {
    for (const OpKind kind : {OpKind::maximum, OpKind::minimum}) {
      RandomNetwork net(3);
      const ValueId x = net.input(8, 8, 12);
      expect_twin_bytes(net.finish(net.extreme(kind, x, net.noise(shape))));
    }
  }
}

// Beside a convolution that gives the other operand a border.
TEST(EdgetpuCompileConstants, PitchesOfTheOtherOperand) {
  RandomNetwork net(5);
  const ValueId x = net.input(12, 12, 8);
  const ValueId made = net.window(x, 8, 3, 1, 1, true, false);
  const ValueId sum = net.sum(made, net.noise(Shape({1, 12, 12, 8})));
  expect_proven(net.finish(net.product(net.window(sum, 8, 3, 1, 1, true, false),
                                       net.window(made, 8, 3, 1, 1, true, false))));
}

TEST(EdgetpuCompileConstants, PartsOfAJoint) {
  for (const int axis : {1, 2, 3}) {
    RandomNetwork net(7);
    const ValueId x = net.input(8, 8, 6);
    Shape part({1, 8, 8, 6});
    part[axis] = 4;
    expect_twin_bytes(net.finish(net.join_along(axis, {net.noise(part), x})));
    RandomNetwork other(8);
    const ValueId y = other.input(8, 8, 6);
    expect_twin_bytes(other.finish(other.join_along(axis, {y, other.noise(part)}, true)));
  }
}

TEST(EdgetpuCompileConstants, NothingButConstantsStaysWithTheHost) {
  RandomNetwork net(9);
  const ValueId to = net.sum(net.noise(Shape({1, 4, 4, 4})), net.noise(Shape({1, 4, 4, 4})));
  const Partition p = partition_of(net.finish(to));
  ASSERT_TRUE(p.ops[0].refusal);
  EXPECT_EQ(p.ops[0].refusal->rule, Rule::attributes);
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
