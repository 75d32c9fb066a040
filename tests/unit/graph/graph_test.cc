#include <gtest/gtest.h>

#include <set>

#include "graph/graph.h"

namespace edgetwin {
namespace {

TEST(OpTable, NamesAndAttributesAreConsistent) {
  std::set<std::string_view> names;
  std::set<std::string_view> builtins;
  for (int i = 0; i < kOpKindCount; ++i) {
    const auto kind = static_cast<OpKind>(i);
    const OpInfo& row = info(kind);
    EXPECT_EQ(row.kind, kind);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    if (row.builtin == "CUSTOM") continue;
    EXPECT_TRUE(builtins.insert(row.builtin).second) << row.builtin;
    EXPECT_EQ(op_kind_from_builtin(row.builtin), kind);
    EXPECT_LE(row.inputs.min, row.inputs.max);
    EXPECT_LE(row.outputs.min, row.outputs.max);
  }
  EXPECT_FALSE(op_kind_from_builtin("CUSTOM"));
}

Value value(const std::string& name) {
  Value v;
  v.name = name;
  v.dtype = DType::int8;
  v.shape = {2};
  return v;
}

// in -> relu -> middle -> relu -> out
Graph chain() {
  Graph g;
  g.values = {value("in"), value("middle"), value("out")};
  g.ops.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    g.ops[i].kind = OpKind::relu;
    g.ops[i].inputs = {static_cast<ValueId>(i)};
    g.ops[i].outputs = {static_cast<ValueId>(i + 1)};
  }
  g.inputs = {0};
  g.outputs = {2};
  return g;
}

ErrorCode code(const Graph& g) {
  const Status s = verify_graph(g);
  EXPECT_FALSE(s.ok());
  return s.ok() ? ErrorCode::internal : s.error().code;
}

TEST(VerifyGraph, FindsEachKindOfDamage) {
  EXPECT_TRUE(verify_graph(chain()).ok());
  Graph g = chain();
  g.ops[0].inputs = {7};
  EXPECT_EQ(code(g), ErrorCode::graph_reference);
  g = chain();
  g.ops[0].inputs = {0, 0};
  EXPECT_EQ(code(g), ErrorCode::graph_arity);
  g = chain();
  std::swap(g.ops[0], g.ops[1]);
  EXPECT_EQ(code(g), ErrorCode::graph_order);
  g = chain();
  g.ops[1].outputs = {1};
  EXPECT_EQ(code(g), ErrorCode::graph_duplicate);
  g = chain();
  g.ops[0].inputs = {2};  // a cycle
  EXPECT_EQ(code(g), ErrorCode::graph_order);
  g = chain();
  g.values[1].quant = Quant::affine(-1.0F, 0);
  EXPECT_EQ(code(g), ErrorCode::graph_quant);
  g = chain();
  g.values[1].quant = Quant::affine(1.0F, 300);
  EXPECT_EQ(code(g), ErrorCode::graph_quant);
  g = chain();
  g.values.push_back(value("constant"));
  g.values.back().constant = std::make_shared<const Bytes>(3);
  EXPECT_EQ(code(g), ErrorCode::tflite_size);
  g = chain();
  g.outputs = {-1};
  EXPECT_EQ(code(g), ErrorCode::graph_reference);
}

TEST(EqualGraphs, NamesTheFirstDifference) {
  std::string difference;
  EXPECT_TRUE(equal(chain(), chain(), &difference));
  Graph g = chain();
  g.ops[1].kind = OpKind::relu6;
  EXPECT_FALSE(equal(chain(), g, &difference));
  EXPECT_EQ(difference, "#1 RELU 'out': operator RELU / RELU6");
  g = chain();
  g.values[1].shape = {3};
  EXPECT_FALSE(equal(chain(), g, &difference));
  EXPECT_EQ(difference, "tensor 1 'middle': shape 2 / 3");
}

TEST(PrintGraph, OneLinePerOperator) {
  EXPECT_EQ(print(chain()),
            "input  %0 2 int8 'in' \n"
            "#0 RELU (%0 2 int8) -> %1 2 int8\n"
            "#1 RELU (%1 2 int8) -> %2 2 int8\n"
            "output %2 2 int8 'out' \n");
}

}  // namespace
}  // namespace edgetwin
