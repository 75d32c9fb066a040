#include "quantize/espdl/plan/plan.h"

#include <cmath>

#include "quantize/espdl/passes/passes.h"
#include "quantize/networks.h"

namespace edgetwin::quantize {
namespace {

Settings plain(espdl::Target target = espdl::Target::c) {
  Settings s;
  s.target = target;
  return s;
}

void give(Plan& plan, QuantId id, int exponent) { plan.quant(plan.root(id)).exponent = {exponent}; }

TEST(Operators, RowsAreInTheOrderOfTheGraphsTable) {
  int last = -1;
  int rows = 0;
  for (int kind = 0; kind < kOpKindCount; ++kind) {
    const OperatorInfo* row = operator_info(static_cast<OpKind>(kind));
    if (row == nullptr) continue;
    EXPECT_GT(kind, last);
    last = kind;
    ++rows;
  }
#define QUANTIZED(kind, role, layout, parameters) --rows;
#include "quantize/espdl/plan/operators.def"
#undef QUANTIZED
  EXPECT_EQ(rows, 0) << "a kind stands twice";
  EXPECT_EQ(operator_info(OpKind::opaque), nullptr);
}

TEST(Plan, ListsEveryOperatorThatIsMissing) {
  Builder b;
  const ValueId x = b.input("x", {1, 2, 4, 4});
  const ValueId y = b.op(OpKind::opaque, "Erf", {x}, {1, 2, 4, 4}, OpaqueAttrs{});
  const Graph g = b.finish({b.op(OpKind::opaque, "Abs", {y}, {1, 2, 4, 4}, OpaqueAttrs{})});
  const Settings s = plain();
  const auto plan = Plan::make(g, s);
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().code, ErrorCode::quant_operator);
  EXPECT_EQ(plan.error().place.layer, "");
  EXPECT_EQ(plan.error().details.size(), 2U);
}

TEST(Plan, RefusesWidthsOfUnknownOperators) {
  Builder b;
  const Graph g = b.finish({b.relu(b.input("x", {1, 2, 4, 4}))});
  Settings s = plain();
  s.bits_of["nobody"] = 16;
  EXPECT_EQ(Plan::make(g, s).error().code, ErrorCode::quant_setting);
}

TEST(Fusion, ReluDecidesForItsLayer) {
  Builder b;
  const ValueId c = b.conv(b.input("x", {1, 2, 4, 4}), 3);
  const Graph g = b.finish({b.relu(c)});
  const Settings s = plain();
  Plan plan = *Plan::make(g, s);
  fuse_activations(plan);
  EXPECT_EQ(plan.root(plan.ops()[0].outputs[0]), plan.ops()[1].outputs[0]);
  EXPECT_EQ(plan.root(plan.ops()[1].inputs[0]), plan.ops()[1].outputs[0]);
}

TEST(Fusion, NotWhereSomebodyElseNeedsTheSum) {
  Builder b;
  const ValueId c = b.conv(b.input("x", {1, 2, 4, 4}), 2);
  const ValueId r = b.relu(c);
  const Graph g = b.finish({b.add(c, r)});
  const Settings s = plain();
  Plan plan = *Plan::make(g, s);
  fuse_activations(plan);
  EXPECT_EQ(plan.root(plan.ops()[0].outputs[0]), plan.ops()[0].outputs[0]);
}

TEST(Passive, ExponentRunsThrough) {
  Builder b;
  const ValueId c = b.conv(b.input("x", {1, 2, 4, 4}), 3);
  PoolAttrs a;
  a.filter_h = a.filter_w = a.stride_h = a.stride_w = 2;
  const ValueId p = b.op(OpKind::max_pool_2d, "MaxPool", {c}, {1, 3, 2, 2}, a);
  const Graph g = b.finish({p});
  const Settings s = plain();
  Plan plan = *Plan::make(g, s);
  share_passive(plan);
  join_producers(plan);
  EXPECT_EQ(plan.root(plan.ops()[1].outputs[0]), plan.ops()[0].outputs[0]);
}

// conv1 feeds the sum alone, conv2 the sum and an output.
TEST(Alignment, ProducerGivesWayOnlyIfNobodyElseLooks) {
  Builder b;
  const ValueId x = b.input("x", {1, 2, 4, 4});
  const ValueId one = b.conv(x, 2);
  const ValueId two = b.conv(x, 2);
  const ValueId sum = b.add(one, two);
  const Graph g = b.finish({sum, two});
  const Settings s = plain();
  Plan plan = *Plan::make(g, s);
  join_producers(plan);
  give(plan, plan.ops()[0].outputs[0], -5);
  give(plan, plan.ops()[1].outputs[0], -6);
  give(plan, plan.ops()[2].outputs[0], -4);
  align_operands(plan);
  EXPECT_EQ(plan.deciding(plan.ops()[0].outputs[0]).exponent[0], -4);
  EXPECT_EQ(plan.deciding(plan.ops()[1].outputs[0]).exponent[0], -6);
  EXPECT_EQ(plan.deciding(plan.ops()[2].inputs[0]).exponent[0], -4);
  EXPECT_EQ(plan.deciding(plan.ops()[2].inputs[1]).exponent[0], -4);
}

TEST(Alignment, ToLargeTakesTheLargest) {
  Builder b;
  const ValueId x = b.input("x", {1, 2, 4, 4});
  const Graph g = b.finish({b.add(b.conv(x, 2), b.conv(x, 2))});
  Settings s = plain();
  s.passes.elementwise = Alignment::to_large;
  Plan plan = *Plan::make(g, s);
  join_producers(plan);
  give(plan, plan.ops()[0].outputs[0], -3);
  give(plan, plan.ops()[1].outputs[0], -6);
  give(plan, plan.ops()[2].outputs[0], -4);
  align_operands(plan);
  for (const OpQuants& c : plan.ops()) EXPECT_EQ(plan.deciding(c.outputs[0]).exponent[0], -3);
}

TEST(Shifts, AreRaisedToZero) {
  Builder b;
  const Graph g = b.finish({b.conv(b.input("x", {1, 2, 4, 4}), 2)});
  const Settings s = plain();
  Plan plan = *Plan::make(g, s);
  give(plan, plan.ops()[0].inputs[0], -5);
  give(plan, plan.ops()[0].inputs[1], -7);
  give(plan, plan.ops()[0].outputs[0], -14);
  raise_shifts(plan);
  EXPECT_EQ(plan.deciding(plan.ops()[0].outputs[0]).exponent[0], -12);
  EXPECT_EQ(plan.findings.size(), 1U);
}

TEST(Parameters, PerChannelOnTheP4Alone) {
  Builder b;
  const ValueId x = b.input("x", {1, 1, 4, 4});
  const ValueId w = b.constant("w", {2, 1, 1, 1}, {1.0F, 0.25F});
  Conv2DAttrs a;
  a.stride_h = a.stride_w = 1;
  const Graph g = b.finish({b.op(OpKind::conv_2d, "Conv", {x, w}, {1, 2, 4, 4}, a)});
  for (const auto target : {espdl::Target::c, espdl::Target::esp32p4}) {
    const Settings s = plain(target);
    Plan plan = *Plan::make(g, s);
    ASSERT_TRUE(quantize_parameters(plan).ok());
    const std::vector<int> wanted =
        target == espdl::Target::c ? std::vector{-6} : std::vector{-6, -8};
    EXPECT_EQ(plan.quant(plan.ops()[0].inputs[1]).exponent, wanted);
  }
}

TEST(Parameters, NanIsNamed) {
  Builder b;
  const ValueId x = b.input("x", {1, 1, 4, 4});
  const ValueId w = b.constant("w", {2, 1, 1, 1}, {1.0F, std::nanf("")});
  Conv2DAttrs a;
  a.stride_h = a.stride_w = 1;
  const Graph g = b.finish({b.op(OpKind::conv_2d, "Conv", {x, w}, {1, 2, 4, 4}, a)});
  const Settings s = plain();
  Plan plan = *Plan::make(g, s);
  const Status status = quantize_parameters(plan);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::quant_not_finite);
  EXPECT_NE(status.error().message.find("'w'"), std::string::npos);
}

}  // namespace
}  // namespace edgetwin::quantize
