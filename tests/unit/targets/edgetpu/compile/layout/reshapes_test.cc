// RESHAPE before a product with a constant, as MoveNet has it.
#include "targets/edgetpu/compile/layout/reshapes.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/compile/random_networks.h"

namespace edgetwin::edgetpu::compiler {
namespace {

TEST(EdgetpuReshapes, ComeBeforeTheProductThatTheyTake) {
  RandomNetwork net(1);
  const ValueId in = net.input(6, 8, 2), constant = net.noise({6, 8, 2});
  const ValueId product = net.product(in, constant);
  const ValueId list = net.reshape(product, {1, 48, 2});
  Graph graph = net.finish(list);
  EXPECT_EQ(reshapes_first(graph), (std::vector<std::pair<size_t, size_t>>{{0, 1}}));
  EXPECT_EQ(graph.ops[0].kind, OpKind::reshape);
  EXPECT_EQ(graph.ops[0].inputs[0], in);
  EXPECT_EQ(graph.ops[0].outputs[0], product);
  EXPECT_EQ(graph.value(product).quant, graph.value(in).quant);
  EXPECT_EQ(graph.ops[1].inputs, (std::vector<ValueId>{product, constant}));
  EXPECT_EQ(graph.ops[1].outputs[0], list);
  EXPECT_EQ(graph.value(constant).shape, Shape({1, 48, 2}));
}

TEST(EdgetpuReshapes, StayWhereOthersTakeTheProductOrItHasANumber) {
  RandomNetwork net(2);
  const ValueId product = net.product(net.input(6, 8, 2), net.noise({6, 8, 2}));
  Graph graph = net.finish(net.reshape(product, {1, 48, 2}));
  graph.outputs.push_back(product);
  EXPECT_TRUE(reshapes_first(graph).empty());
  RandomNetwork other(3);
  const ValueId number = other.with_number(other.input(6, 8, 2), OpKind::mul);
  Graph second = other.finish(other.reshape(number, {1, 48, 2}));
  EXPECT_TRUE(reshapes_first(second).empty());
}

}  // namespace
}  // namespace edgetwin::edgetpu::compiler
