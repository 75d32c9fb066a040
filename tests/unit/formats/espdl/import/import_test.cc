// From document to graph: names, types, order, what is unknown, and which target a file is for.
#include <gtest/gtest.h>

#include "formats/espdl/document/operators.h"
#include "formats/espdl/import/import_sketch.h"

namespace edgetwin::espdl {
namespace {

using namespace testing;

Sketch relu() {
  Sketch s("Relu");
  s.in({1, 4}).out({1, 4});
  return s;
}

TEST(EspdlImport, OneOperator) {
  const auto model = relu().imported();
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const Graph& g = model->main();
  EXPECT_EQ(model->format, "espdl");
  ASSERT_EQ(g.ops.size(), 1U);
  EXPECT_EQ(g.ops[0].kind, OpKind::relu);
  EXPECT_EQ(g.ops[0].type, "Relu");
  EXPECT_EQ(g.ops[0].name, "node");
  EXPECT_EQ(g.value(g.inputs[0]).quant, Quant::power_of_two(-3));
  EXPECT_EQ(g.value(g.outputs[0]).name, "out0");
  EXPECT_TRUE(model->findings.empty());
}

TEST(EspdlImport, QuantTypeIsLookedAt) {
  Sketch missing = relu();
  missing.node().attributes.clear();
  const auto model = missing.imported();
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->findings.size(), 1U);
  EXPECT_EQ(model->findings[0].severity, Severity::warning);
  Sketch other = relu();
  other.node().attributes = {text("quant_type", "S16")};
  EXPECT_EQ(other.imported()->findings.size(), 1U);
}

TEST(EspdlImport, UnknownOperatorsAreKeptButNotRun) {
  Sketch s("Erf");
  s.in({4}).absent().out({4});
  const auto model = s.imported();
  ASSERT_TRUE(model.ok()) << to_text(model.error());
  const Op& op = model->main().ops[0];
  EXPECT_EQ(op.kind, OpKind::opaque);
  EXPECT_EQ(op.as<OpaqueAttrs>().name, "Erf");
  EXPECT_EQ(op.inputs[1], kAbsent);
  exec::Options options;
  options.numerics = "espdl-c";
  const auto session = exec::Session::create(std::make_shared<const Graph>(model->main()), options);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.error().code, ErrorCode::op_unsupported);
  EXPECT_FALSE(is_operator("Erf"));
  EXPECT_FALSE(is_operator("ConvTranspose"));
  EXPECT_TRUE(is_operator("RequantizeLinear"));
}

TEST(EspdlImport, NamesMustExist) {
  Sketch input = relu();
  input.node().inputs = {"nowhere"};
  EXPECT_EQ(input.error(), ErrorCode::espdl_reference);
  Sketch output = relu();
  output.node().outputs = {"undeclared"};
  EXPECT_EQ(output.error(), ErrorCode::espdl_reference);
  Sketch unmade = relu();
  unmade.d.outputs.push_back(value("never made", {1}, 0));
  EXPECT_EQ(unmade.error(), ErrorCode::espdl_reference);
  Sketch table = relu();
  table.node().attributes.push_back(text("lut", "no table"));
  EXPECT_EQ(table.error(), ErrorCode::espdl_reference);
  Sketch twice = relu();
  twice.d.nodes.push_back(twice.node());
  EXPECT_EQ(twice.error(), ErrorCode::graph_duplicate);
}

TEST(EspdlImport, TypesAndSizesMustBeUsable) {
  Sketch type = relu();
  type.d.inputs[0].type = DataType::string;
  EXPECT_EQ(type.error(), ErrorCode::espdl_tensor);
  Sketch rank = relu();
  rank.d.inputs[0].shape.assign(9, 1);
  EXPECT_EQ(rank.error(), ErrorCode::espdl_tensor);
  Sketch bytes("Add");
  bytes.in({4}).constant(data<int8_t>("c", DataType::int8, {4}, {1, 2, 3})).out({4});
  EXPECT_EQ(bytes.error(), ErrorCode::espdl_tensor);
  EXPECT_FALSE(to_tensor(bytes.d.initializers[0]).ok());
  const auto scalar = to_tensor(data<int8_t>("s", DataType::int8, {}, {7}, {-4}));
  ASSERT_TRUE(scalar.ok());
  EXPECT_EQ(scalar->shape, Shape());
  EXPECT_EQ(scalar->quant, Quant::power_of_two(-4));
}

// Absent outputs after the last one are nothing; in between they would move the others.
TEST(EspdlImport, AbsentOutputs) {
  Sketch end = relu();
  end.node().outputs.emplace_back();
  EXPECT_TRUE(end.imported().ok());
  Sketch between = relu();
  between.node().outputs.insert(between.node().outputs.begin(), "");
  EXPECT_EQ(between.error(), ErrorCode::graph_arity);
}

TEST(EspdlImport, TheTestValuesOrderTheInputs) {
  Sketch s("Add");
  s.in({4}).in({4}).out({4});
  std::swap(s.d.inputs[0], s.d.inputs[1]);
  auto model = s.imported();
  EXPECT_EQ(model->main().value(model->main().inputs[0]).name, "in0");  // by name
  s.d.test_inputs = {tensor("in1", DataType::int8, {4}, 4), tensor("in0", DataType::int8, {4}, 4)};
  model = s.imported();
  EXPECT_EQ(model->main().value(model->main().inputs[0]).name, "in1");
}

TEST(EspdlImport, TablesAreKept) {
  Sketch s = relu();
  s.node().attributes.push_back(text("lut", "Relu_lut_0"));
  std::vector<int8_t> table(256);
  for (int i = 0; i < 256; ++i) table[static_cast<size_t>(i)] = static_cast<int8_t>(127 - i);
  s.d.initializers.push_back(data<int8_t>("Relu_lut_0", DataType::int8, {256}, table, {-3}));
  EXPECT_NE(s.op().table, kAbsent);
  EXPECT_EQ(s.run<int8_t>({-128, 0, 1, 127}, "espdl-s3", Target::esp32s3),
            (std::vector<int>{127, -1, -2, -128}));
}

TEST(TargetNames, AreKnown) {
  EXPECT_EQ(target_by_name("esp32s3"), Target::esp32s3);
  EXPECT_EQ(target_by_name("esp32s31"), Target::esp32p4);
  EXPECT_EQ(target_by_name("esp32c3"), Target::c);
  EXPECT_EQ(target_by_name("esp8266"), std::nullopt);
  for (const Target t : {Target::c, Target::esp32s3, Target::esp32p4}) {
    EXPECT_EQ(target_by_name(name(t)), t);
  }
}

TEST(TargetEvidence, WhatAFileSays) {
  const TensorData small_bias =
      data<int32_t>("bias", DataType::int32, {4}, {0, 524287, -524288, 1}, {-12});
  Document d = small_document();
  d.initializers[1] = small_bias;
  d.initializers[0].doc_string.clear();
  EXPECT_EQ(target_evidence(d).target, std::nullopt);
  d.initializers[0].doc_string = "layout ==> (N/16)HWC16_UNALIGNED";
  EXPECT_EQ(target_evidence(d).target, std::nullopt);
  EXPECT_NE(target_evidence(d).why.find("ESP32-P4"), std::string::npos);
  for (const char* tag : {"NHWC", "HWCN", "NWC", "WCN"}) {
    d.initializers[0].doc_string = std::string("layout ==> ") + tag;
    EXPECT_EQ(target_evidence(d).target, Target::c) << tag;
  }
  d = small_document();
  d.initializers[0].exponents = {-7, -6, -7, -8};
  EXPECT_EQ(target_evidence(d).target, Target::esp32p4);
  d.metadata = {{"target", "esp32s3"}};  // said outright
  EXPECT_EQ(target_evidence(d).target, Target::esp32s3);
  d.metadata = {{"target", "something else"}};
  EXPECT_EQ(target_evidence(d).target, Target::esp32p4);
  // A bias of more than 20 bits would wrap on the ESP32-S3.
  d = small_document();
  d.initializers[1] = small_bias;
  EXPECT_EQ(target_evidence(d).target, std::nullopt);
  d.initializers[1] = data<int32_t>("bias", DataType::int32, {4}, {0, 524288, 0, 1}, {-12});
  EXPECT_EQ(target_evidence(d).target, Target::esp32p4);
}

}  // namespace
}  // namespace edgetwin::espdl
