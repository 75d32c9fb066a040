// Operators on single bytes: the machine beside the twin for every pair of bytes.
#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/on_chip.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Bytes by_place(size_t n, size_t divisor) {
  Bytes bytes(n);
  for (size_t k = 0; k < n; ++k) bytes[k] = static_cast<std::byte>(k / divisor);
  return bytes;
}

constexpr size_t kPairs = 65536;

TEST(EdgetpuCompileElements, ProductsOfEveryPair) {
  for (uint32_t seed = 1; seed < 5; ++seed) {
    RandomNetwork net(seed);
    const ValueId a = net.input(64, 64, 16), b = net.input(64, 64, 16);
    expect_equal(net.finish(net.product(a, b)), {by_place(kPairs, 256), by_place(kPairs, 1)});
  }
}

TEST(EdgetpuCompileElements, SumsAndDifferencesOfEveryPair) {
  for (uint32_t seed = 1; seed < 5; ++seed) {
    RandomNetwork net(seed);
    const ValueId a = net.input(64, 64, 16), b = net.input(64, 64, 16);
    expect_equal(net.finish(seed % 2 == 0 ? net.sum(a, b) : net.difference(a, b)),
                 {by_place(kPairs, 256), by_place(kPairs, 1)});
  }
}

// A tile has 17,920 words, of which 16,384 can be counted, and no room for a third picture.
TEST(EdgetpuCompileElements, SumsOfMoreWordsThanCanBeCounted) {
  RandomNetwork net(3);
  const ValueId in = net.input(18, 26, 64);
  const ValueId a = net.window(in, 2048, 1, 1, 1, true, false);
  const ValueId b = net.window(in, 2048, 1, 1, 1, true, false);
  expect_twin_bytes(net.finish(net.window(net.sum(a, b), 8, 1, 1, 1, true, false)));
}

TEST(EdgetpuCompileElements, EveryByteWithANumber) {
  for (uint32_t seed = 1; seed < 40; ++seed) {
    RandomNetwork net(seed);
    const OpKind kinds[] = {OpKind::mul, OpKind::add, OpKind::sub};
    const OpKind kind = kinds[seed % 3];
    const ValueId in = net.input(8, 8, 4);
    expect_equal(net.finish(net.with_number(in, kind, kind == OpKind::mul && net.below(2) == 0)),
                 {by_place(256, 1)});
  }
}

// Neighbours of every difference, along rows and along columns.
TEST(EdgetpuCompileElements, EveryPairOfNeighboursDoubled) {
  RandomNetwork net(1);
  const ValueId in = net.input(64, 64, 16);
  const Graph graph = net.finish(net.doubled(in));
  expect_equal(graph, {by_place(kPairs, 251)});
  Bytes mixed(kPairs);
  XorShift32 random(7);
  for (std::byte& b : mixed) b = static_cast<std::byte>(random.byte());
  expect_equal(graph, {mixed});
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
