// Operators on single bytes: the machine beside the twin for every pair of bytes.
#include <gtest/gtest.h>

#include "exec/session.h"
#include "targets/edgetpu/compile/compile.h"
#include "targets/edgetpu/machine/machine.h"
#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Bytes by_place(size_t n, size_t divisor) {
  Bytes bytes(n);
  for (size_t k = 0; k < n; ++k) bytes[k] = static_cast<std::byte>(k / divisor);
  return bytes;
}

// Both give the same bytes; all of the network is on the chip.
void expect_equal(const Graph& graph, const std::vector<Bytes>& inputs) {
  const Partition p = partition_of(graph);
  ASSERT_EQ(p.groups.size(), 1u);
  for (const Assignment& a : p.ops) ASSERT_FALSE(a.refusal) << a.refusal->message;
  auto machine = machine::Machine::make(p.groups[0].package);
  ASSERT_TRUE(machine.ok()) << to_text(machine.error());
  exec::Options options;
  options.numerics = "edgetpu";
  auto session = exec::Session::create(std::make_shared<const Graph>(graph), options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  std::vector<ByteSpan> spans;
  for (size_t k = 0; k < inputs.size(); ++k) {
    ASSERT_TRUE(session->set_input(k, inputs[k]).ok());
    spans.emplace_back(inputs[k]);
  }
  ASSERT_TRUE(session->run().ok());
  const auto outputs = machine->run_dense(spans);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  const ByteSpan wanted = session->bytes(graph.outputs[0]);
  EXPECT_EQ((*outputs)[0], Bytes(wanted.begin(), wanted.end()));
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
