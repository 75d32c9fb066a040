// From graph to document: what is derived, what is refused, and how documents are compared.
#include "formats/espdl/export/export.h"

#include <gtest/gtest.h>

#include "formats/espdl/compare/compare.h"
#include "formats/espdl/import/import_sketch.h"

namespace edgetwin::espdl {
namespace {

using namespace testing;

Sketch conv(Target target) {
  Sketch s("Conv", {list("strides", {1, 1}), list("pads", {0, 0, 0, 0}), list("dilations", {1, 1}),
                    real("ignored", 1.0F)});
  s.in({1, 4, 4, 2});
  std::vector<int8_t> weights(2 * 17);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i);
  TensorData w = data<int8_t>("w", DataType::int8, {1, 1, 2, 17}, weights, {-7});
  w.doc_string = target == Target::c ? "layout ==> NHWC" : "layout ==> (N/16)HWC16_UNALIGNED";
  s.constant(std::move(w));
  s.constant(data<int32_t>("b", DataType::int32, {17}, std::vector<int32_t>(17, 5), {-10}));
  s.out({1, 4, 4, 17});
  s.node().attributes[3] = text("activation", "Relu");
  return s;
}

Document exported(const Sketch& s, Target target) {
  const auto model = s.imported(target);
  EXPECT_TRUE(model.ok()) << to_text(model.error());
  const auto document = export_graph(model->main(), target);
  EXPECT_TRUE(document.ok()) << to_text(document.error());
  return document.ok() ? *document : Document{};
}

TEST(Export, WeightsComeBackInTheOrderOfTheTarget) {
  for (const Target target : {Target::c, Target::esp32s3}) {
    const Sketch s = conv(target);
    const Document d = exported(s, target);
    const DocumentDiff diff = compare_documents(s.d, d);
    EXPECT_TRUE(diff.equal) << diff.first;
    EXPECT_EQ(diff.operators, 1U);
    EXPECT_EQ(*d.property("target"), name(target));
    EXPECT_EQ(d.nodes[0].text("activation"), "Relu");
  }
  const DocumentDiff between = compare_documents(exported(conv(Target::c), Target::c),
                                                 exported(conv(Target::esp32s3), Target::esp32s3));
  EXPECT_FALSE(between.equal);
  EXPECT_NE(between.first.find("order of weights"), std::string::npos) << between.first;
}

TEST(Export, TheBiasGetsTheExponentsOfTheProducts) {
  Sketch s = conv(Target::esp32p4);
  s.d.initializers[0].exponents.assign(17, -7);
  s.d.initializers[0].exponents[4] = -9;
  s.d.initializers[1].exponents.assign(17, -10);
  s.d.initializers[1].exponents[4] = -12;
  const Document d = exported(s, Target::esp32p4);
  EXPECT_EQ(d.initializer("b")->exponents, s.d.initializers[1].exponents);
}

TEST(Export, EverythingWithoutAFormIsListed) {
  Sketch s("Relu");
  s.in({1, 4}).out({1, 4});
  Graph graph = s.imported()->graphs[0];
  graph.ops[0].kind = OpKind::opaque;
  graph.ops[0].attrs = OpaqueAttrs{"Erf", -1, 0, {}};
  graph.value(graph.outputs[0]).quant = Quant::affine(0.5F, 3);
  const auto document = export_graph(graph, Target::c);
  ASSERT_FALSE(document.ok());
  EXPECT_EQ(document.error().code, ErrorCode::espdl_write);
  EXPECT_EQ(document.error().details.size(), 2U);
  EXPECT_NE(to_text(document.error()).find("zero point 3"), std::string::npos);
}

TEST(Export, NamesAreMadeWhereThereAreNoneOrTwice) {
  Sketch s("Add");
  s.in({4}).in({4}).out({4});
  Graph graph = s.imported()->graphs[0];
  for (Value& v : graph.values) v.name = "same";
  graph.ops[0].name.clear();
  const Document d = *export_graph(graph, Target::c);
  EXPECT_NE(d.inputs[0].name, d.inputs[1].name);
  EXPECT_NE(d.outputs[0].name, d.inputs[0].name);
  EXPECT_FALSE(d.nodes[0].name.empty());
}

Document chain(const std::vector<std::string>& types) {
  Document d;
  d.inputs = {value("x", {1, 4}, -3)};
  std::string last = "x";
  for (size_t i = 0; i < types.size(); ++i) {
    Node n;
    n.op_type = types[i];
    n.name = "n" + std::to_string(i);
    n.inputs = {last};
    last = "t" + std::to_string(i);
    n.outputs = {last};
    d.nodes.push_back(n);
    d.values.push_back(value(last, {1, 4}, -3));
  }
  d.outputs = {value(last, {1, 4}, -3)};
  return d;
}

TEST(Compare, NamesDoNotMatter) {
  const Document a = chain({"Relu", "Sigmoid"});
  Document b = a;
  b.nodes[0].name = "other";
  b.nodes[0].outputs = b.nodes[1].inputs = {"renamed"};
  b.values[0].name = "renamed";
  EXPECT_TRUE(compare_documents(a, b).equal);
  EXPECT_EQ(compare_documents(a, b).operators, 2U);
}

TEST(Compare, OperatorsAreNamedWhereTheyDiffer) {
  const Document a = chain({"Relu", "Sigmoid", "Tanh"});
  const DocumentDiff type = compare_documents(a, chain({"Relu", "Swish", "Tanh"}));
  EXPECT_EQ(type.lines, std::vector<std::string>{"#1 Sigmoid 'n1': is Swish in the second file"});
  const DocumentDiff fewer = compare_documents(a, chain({"Relu", "Sigmoid"}));
  EXPECT_EQ(fewer.first, "#2 Tanh 'n2' is only in the first file");
  const DocumentDiff more = compare_documents(chain({"Relu", "Sigmoid"}), a);
  EXPECT_EQ(more.first, "#2 Tanh 'n2' is only in the second file");
}

TEST(Compare, AbsentAttributesStandForTheirDefaults) {
  Document a = chain({"Relu"});
  Document b = a;
  b.nodes[0].attributes = {text("auto_pad", "NOTSET"), text("activation", "Linear")};
  EXPECT_TRUE(compare_documents(a, b).equal);
  b.nodes[0].attributes = {text("activation", "Relu")};
  EXPECT_EQ(compare_documents(a, b).first, "#0 Relu 'n0': activation Linear and Relu");
}

TEST(Compare, AxesCountFromBothEnds) {
  Document a = chain({"Softmax"});
  Document b = a;
  Attribute axis;
  axis.name = "axis";
  axis.type = AttributeType::int_value;
  axis.i = 1;  // of two; absent is the last
  b.nodes[0].attributes = {axis};
  EXPECT_TRUE(compare_documents(a, b).equal);
  b.nodes[0].attributes[0].i = 0;
  EXPECT_EQ(compare_documents(a, b).first, "#0 Softmax 'n0': axis 1 and 0");
}

TEST(Compare, ExponentsAndShapesOfTensors) {
  const Document a = chain({"Relu"});
  Document b = a;
  b.values[0].exponents = {-4};
  EXPECT_EQ(compare_documents(a, b).first, "#0 Relu 'n0': exponent -3 and -4 of tensor 't0'");
  b = a;
  b.values[0].shape = {1, 5};
  EXPECT_TRUE(compare_documents(a, b).equal);  // the runtime computes it
  EXPECT_EQ(compare_documents(a, b).notes,
            (std::vector<std::string>{"#0 Relu 'n0': declared shape 1x4 and 1x5 of tensor 't0'"}));
  b = a;
  b.inputs[0].shape = {1, 5};
  EXPECT_EQ(compare_documents(a, b).first, "input: shape 1x4 and 1x5 of tensor 'x'");
  b = a;
  b.inputs[0].exponents = {-1};
  EXPECT_EQ(compare_documents(a, b).first, "input: exponent -3 and -1 of tensor 'x'");
  b = a;
  b.test_outputs.push_back({"t0", "", DataType::int8, {1}, {0}, Bytes(1)});
  EXPECT_TRUE(compare_documents(a, b).equal);
  EXPECT_EQ(compare_documents(a, b).notes.size(), 1U);
}

}  // namespace
}  // namespace edgetwin::espdl
