#include "estimate/espdl/planner.h"

#include <gtest/gtest.h>

namespace edgetwin::estimates {
namespace {

// A document of nodes "type in... -> out"; each tensor has `bytes`.
class PlannerDocument {
 public:
  void node(const std::string& type, std::vector<std::string> in, const std::string& out) {
    espdl::Node n;
    n.op_type = type;
    n.inputs = std::move(in);
    n.outputs = {out};
    d.nodes.push_back(std::move(n));
  }
  void tensor(const std::string& name, int64_t bytes) {
    espdl::ValueInfo v;
    v.name = name;
    v.type = espdl::DataType::int8;
    v.has_shape = true;
    v.shape = {bytes};
    d.values.push_back(v);
  }
  ActivationPlan plan(int64_t internal = 0) const {
    const auto variables = variables_of(d);
    EXPECT_TRUE(variables.ok());
    return plan_activations(d, *variables, internal);
  }
  espdl::Document d;
};

TEST(EstimatePlanner, AChainReusesMemory) {
  PlannerDocument p;
  for (const char* name : {"a", "b", "c", "d"}) p.tensor(name, 64);
  p.node("Conv", {"a"}, "b");
  p.node("Conv", {"b"}, "c");
  p.node("Conv", {"c"}, "d");
  EXPECT_EQ(p.plan().psram, 128);
}

TEST(EstimatePlanner, AnOutputTakesTheMemoryOfItsInput) {
  PlannerDocument p;
  for (const char* name : {"a", "b", "c"}) p.tensor(name, 64);
  p.node("Relu", {"a"}, "b");
  p.node("Reshape", {"b"}, "c");
  const ActivationPlan plan = p.plan();
  EXPECT_EQ(plan.psram, 64);
  EXPECT_EQ(plan.variables[1].leader, 0);
  EXPECT_EQ(plan.variables[2].leader, 1);
}

TEST(EstimatePlanner, ALaterReaderCutsTheLink) {
  PlannerDocument p;
  for (const char* name : {"a", "b", "c"}) p.tensor(name, 64);
  p.node("Relu", {"a"}, "b");
  p.node("Mul", {"a", "b"}, "c");
  EXPECT_EQ(p.plan().variables[1].leader, -1);
  EXPECT_EQ(p.plan().psram, 192);
}

TEST(EstimatePlanner, InternalMemoryIsTriedFirst) {
  PlannerDocument p;
  p.tensor("a", 256);
  p.tensor("b", 64);
  p.node("Conv", {"a"}, "b");
  const ActivationPlan plan = p.plan(128);
  EXPECT_FALSE(plan.variables[0].internal);
  EXPECT_TRUE(plan.variables[1].internal);
  EXPECT_EQ(plan.psram, 256);
  EXPECT_EQ(plan.internal, 128);
}

TEST(EstimatePlanner, ATensorWithoutASizeIsAnError) {
  PlannerDocument p;
  p.tensor("a", 16);
  p.node("Conv", {"a"}, "b");
  EXPECT_FALSE(variables_of(p.d).ok());
}

}  // namespace
}  // namespace edgetwin::estimates
