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

// A convolution of 8 channels, by a filter in the order of the layout.
Graph convolution(Layout layout, Shape in, Shape filter, OpKind kind = OpKind::conv_2d) {
  Graph g;
  g.layout = layout;
  g.values = {value("in"), value("filter"), value("out")};
  g.values[0].shape = in;
  g.values[1].shape = filter;
  g.values[1].constant = std::make_shared<const Bytes>(static_cast<size_t>(filter.elements()));
  g.ops.resize(1);
  g.ops[0].kind = kind;
  g.ops[0].attrs = default_attrs(kind);
  g.ops[0].inputs = {0, 1, kAbsent};
  g.ops[0].outputs = {2};
  g.inputs = {0};
  g.outputs = {2};
  return g;
}

TEST(VerifyGraph, FiltersAreInTheOrderOfTheLayout) {
  const Shape nhwc_in{1, 5, 5, 8};
  const Shape nhwc_filter{4, 3, 3, 8};
  const Shape nchw_in{1, 8, 5, 5};
  const Shape nchw_filter{4, 8, 3, 3};
  EXPECT_TRUE(verify_graph(convolution(Layout::nhwc, nhwc_in, nhwc_filter)).ok());
  EXPECT_TRUE(verify_graph(convolution(Layout::nchw, nchw_in, nchw_filter)).ok());
  EXPECT_EQ(code(convolution(Layout::nchw, nhwc_in, nhwc_filter)), ErrorCode::graph_layout);
  EXPECT_EQ(code(convolution(Layout::nhwc, nchw_in, nchw_filter)), ErrorCode::graph_layout);
  const OpKind depthwise = OpKind::depthwise_conv_2d;
  EXPECT_TRUE(verify_graph(convolution(Layout::nhwc, nhwc_in, {1, 3, 3, 8}, depthwise)).ok());
  EXPECT_TRUE(verify_graph(convolution(Layout::nchw, nchw_in, {8, 1, 3, 3}, depthwise)).ok());
  EXPECT_EQ(code(convolution(Layout::nchw, nhwc_in, {1, 3, 3, 8}, depthwise)),
            ErrorCode::graph_layout);
  // Sizes that fit neither order are for the operator to refuse.
  EXPECT_TRUE(verify_graph(convolution(Layout::nhwc, nhwc_in, {4, 3, 3, 7})).ok());
}

TEST(RequireLayout, NamesBoth) {
  const Status s = require_layout(chain(), Layout::nchw);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.error().code, ErrorCode::graph_layout);
  EXPECT_EQ(s.error().message, "the graph is NHWC, NCHW is needed");
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
