#include "lut/ideal.h"

#include <gtest/gtest.h>

namespace edgetwin::lut {
namespace {

espdl::Attribute attribute(const std::string& name, const std::string& value) {
  espdl::Attribute a;
  a.name = name;
  a.type = espdl::AttributeType::string;
  a.s = value;
  return a;
}

// One look-up x -> y in a table of `spec`.
espdl::Document look_up(const TableSpec& spec, const std::string& type,
                        const std::string& formula = "") {
  espdl::Document d;
  const Tensor table = *build(spec);
  espdl::TensorData data;
  data.name = "table";
  data.type = espdl::code_of_dtype(table.dtype);
  data.dims = {table.shape.elements()};
  data.exponents = {spec.out_exponent};
  data.data = table.data;
  d.initializers.push_back(data);
  for (const auto& [name, exponent] :
       {std::pair("x", spec.in_exponent), {"y", spec.out_exponent}}) {
    espdl::ValueInfo v;
    v.name = name;
    v.exponents = {exponent};
    d.values.push_back(v);
  }
  espdl::Node n;
  n.name = "look";
  n.op_type = "LUT";
  n.inputs = {"x"};
  n.outputs = {"y"};
  n.attributes = {attribute("lut", "table"), attribute("original_op_type", type)};
  if (!formula.empty()) n.attributes.push_back(attribute("lut_formula", formula));
  d.nodes.push_back(n);
  return d;
}

TableSpec ideal_swish(int step) {
  TableSpec s;
  s.function = Function::swish;
  s.in_exponent = s.out_exponent = -12;
  s.step = step;
  return s;
}

TEST(IdealTables, HoldTheFunctionForEveryInput) {
  const auto r =
      with_ideal_tables(look_up(ideal_swish(256), "Swish"), numerics::Rounding::half_even);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->layers, std::vector<std::string>{"look"});
  const auto* data = r->document.initializer(*r->document.nodes[0].text("lut"));
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(data->dims, std::vector<int64_t>{65536});
  EXPECT_EQ(data->data, build(ideal_swish(1))->data);
  EXPECT_NE(r->document.initializer("table"), nullptr);
}

TEST(IdealTables, TakeFormulas) {
  TableSpec s = ideal_swish(32);
  ASSERT_TRUE(set_formula(s, "x*sigmoid(1.7*x)").ok());
  const auto r =
      with_ideal_tables(look_up(s, "Swish", "x*sigmoid(1.7*x)"), numerics::Rounding::half_even);
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->layers.size(), 1U);
  s.step = 1;
  EXPECT_EQ(r->document.initializer("table_ideal")->data, build(s)->data);
}

TEST(IdealTables, LeaveWhatIsIdealOrUnknown) {
  const auto full =
      with_ideal_tables(look_up(ideal_swish(1), "Swish"), numerics::Rounding::half_even);
  ASSERT_TRUE(full.ok());
  EXPECT_TRUE(full->layers.empty());
  EXPECT_TRUE(full->findings.empty());
  const auto odd =
      with_ideal_tables(look_up(ideal_swish(32), "Nothing"), numerics::Rounding::half_even);
  ASSERT_TRUE(odd.ok());
  EXPECT_TRUE(odd->layers.empty());
  EXPECT_EQ(odd->findings.size(), 1U);
}

TEST(TableSpec, FormulaMustBeANumberEverywhere) {
  TableSpec s = ideal_swish(32);
  ASSERT_TRUE(set_formula(s, "log(x)").ok());
  ASSERT_FALSE(build(s).ok());
  EXPECT_EQ(build(s).error().code, ErrorCode::lut_spec);
  EXPECT_FALSE(set_formula(s, "1 + 2").ok());
  ASSERT_TRUE(set_formula(s, "exp(100*x)").ok());
  EXPECT_EQ(build(s)->as<int16_t>().back(), 32767);
  s.alpha = 1.0F;
  EXPECT_FALSE(build(s).ok());
}

}  // namespace
}  // namespace edgetwin::lut
