#include "targets/edgetpu/runtime/split_network.h"

#include <gtest/gtest.h>

#include "unit/targets/edgetpu/runtime/split_model.h"

namespace edgetwin::edgetpu {
namespace {

// in -> relu a -> [compiled] b, c -> add d(b, c) -> [compiled] e -> out; c is an output, too.
std::shared_ptr<const Model> network() {
  auto model = std::make_shared<Model>();
  model->graphs.push_back(values_of_split());
  Graph& g = model->graphs[0];
  add_op(g, OpKind::relu, NoAttrs{}, {0}, {1});
  add_op(g, OpKind::opaque, compiled_op(), {1}, {2, 3});
  add_op(g, OpKind::add, BinaryAttrs{}, {2, 3}, {4});
  add_op(g, OpKind::opaque, compiled_op(), {4}, {5});
  g.inputs = {0};
  g.outputs = {5, 3};
  return model;
}

darwinn::File file() {
  darwinn::File f;
  for (const int op : {1, 3}) {
    darwinn::CompiledOp c;
    c.graph = 0;
    c.op = op;
    c.packages.emplace_back();
    f.ops.push_back(std::move(c));
  }
  return f;
}

Bytes bytes(std::initializer_list<int> numbers) {
  Bytes b;
  for (const int n : numbers) b.push_back(static_cast<std::byte>(static_cast<int8_t>(n)));
  return b;
}

Tensor input(std::initializer_list<int> numbers) {
  Tensor t;
  t.name = "in";
  t.dtype = DType::int8;
  t.shape = Shape{1, 4};
  t.data = bytes(numbers);
  return t;
}

Result<SplitNetwork> bound(const darwinn::File& f) {
  EDGETWIN_TRY_ASSIGN(SplitNetwork n, SplitNetwork::make(network(), f, {}));
  // The first one names its outputs in another order than the file.
  EDGETWIN_TRY(n.bind(0, {{{"a", 4}}, {{"c", 4}, {"b", 4}}}));
  EDGETWIN_TRY(n.bind(1, {{{"other", 4}}, {{"e", 4}}}));
  return n;
}

TEST(SplitNetwork, HostAndCompiledOperatorsInTurn) {
  const darwinn::File f = file();
  auto n = bound(f);
  ASSERT_TRUE(n.ok()) << to_text(n.error());
  std::vector<size_t> called;
  const auto engine = [&](size_t index,
                          const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    called.push_back(index);
    const Bytes same(in[0].begin(), in[0].end());
    if (index == 1) return std::vector<Bytes>{same};
    return std::vector<Bytes>{bytes({1, 1, 1, 1}), same};  // c, b
  };
  std::vector<DeviceOutput> recorded;
  const auto outputs = n->run(engine, {input({-5, 2, 30, 7})}, &recorded);
  ASSERT_TRUE(outputs.ok()) << to_text(outputs.error());
  EXPECT_EQ(called, (std::vector<size_t>{0, 1}));
  ASSERT_EQ(outputs->size(), 2U);
  EXPECT_EQ((*outputs)[0].data, bytes({1, 3, 31, 8}));  // relu, then b + c
  EXPECT_EQ((*outputs)[1].data, bytes({1, 1, 1, 1}));
  ASSERT_EQ(recorded.size(), 3U);
  EXPECT_EQ(recorded[0].tensor.name, "c");
  EXPECT_EQ(recorded[1].tensor.name, "b");
}

// [compiled] (in, a variable) -> b; the variable comes back as an output of its own.
TEST(SplitNetwork, VariablesOfCompiledOperatorsAreKept) {
  auto model = std::make_shared<Model>();
  model->graphs.push_back(values_of_split());
  Graph& g = model->graphs[0];
  g.values[1].is_variable = true;
  g.values[1].quant = Quant::affine(0.5F, -3);
  add_op(g, OpKind::opaque, compiled_op(), {0, 1}, {2});
  g.inputs = {0};
  g.outputs = {2};
  darwinn::File f = file();
  f.ops.resize(1);
  f.ops[0].op = 0;
  EXPECT_EQ(SplitNetwork::make(model, f, {}).error().code, ErrorCode::device_request);
  auto n = SplitNetwork::make(model, f, {}, States::kept);
  ASSERT_TRUE(n.ok()) << to_text(n.error());
  ASSERT_TRUE(n->bind(0, {{{"in", 4}, {"a", 4}}, {{"a_variable_output", 4}, {"b", 4}}}).ok());
  const auto engine = [](size_t, const std::vector<ByteSpan>& in) -> Result<std::vector<Bytes>> {
    return std::vector<Bytes>{Bytes(in[0].begin(), in[0].end()), Bytes(in[1].begin(), in[1].end())};
  };
  const auto first = n->run(engine, {input({1, 2, 3, 4})});
  const auto second = n->run(engine, {input({5, 6, 7, 8})});
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)[0].data, bytes({-3, -3, -3, -3}));  // real 0
  EXPECT_EQ((*second)[0].data, bytes({1, 2, 3, 4}));
}

TEST(SplitNetwork, AnEngineThatStopsStopsTheRun) {
  const darwinn::File f = file();
  auto n = bound(f);
  ASSERT_TRUE(n.ok());
  const auto engine = [&](size_t index,
                          const std::vector<ByteSpan>&) -> Result<std::vector<Bytes>> {
    return Error(ErrorCode::chip_unknown, "not known").in_layer(n->label(index));
  };
  const auto outputs = n->run(engine, {input({0, 0, 0, 0})});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().place.layer, "#1 edgetpu-custom-op 'b'");
}

TEST(SplitNetwork, WhatDoesNotFitIsRefused) {
  const darwinn::File f = file();
  auto n = SplitNetwork::make(network(), f, {});
  ASSERT_TRUE(n.ok());
  EXPECT_EQ(n->bind(0, {{{"a", 5}}, {}}).error().code, ErrorCode::device_request);
  EXPECT_EQ(n->bind(1, {{{"d", 4}, {"x", 4}}, {}}).error().code, ErrorCode::device_request);
  const darwinn::File none;
  EXPECT_EQ(SplitNetwork::make(network(), none, {}).error().code, ErrorCode::device_request);
  auto complete = bound(f);
  ASSERT_TRUE(complete.ok());
  const auto engine = [](size_t, const std::vector<ByteSpan>&) -> Result<std::vector<Bytes>> {
    return std::vector<Bytes>{};
  };
  EXPECT_EQ(complete->run(engine, {}).error().code, ErrorCode::input_missing);
}

}  // namespace
}  // namespace edgetwin::edgetpu
