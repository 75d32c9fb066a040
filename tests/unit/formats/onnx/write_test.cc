#include "formats/onnx/write/write.h"

#include <gtest/gtest.h>

namespace edgetwin::onnx {
namespace {

TEST(OnnxWrite, EveryKindOfAttributeComesBack) {
  Document d;
  d.ir_version = 8;
  d.opset = 13;
  d.producer = "edgetwin";
  d.description = "text";
  d.graph_name = "main";
  const float number = 2.5F;
  const TensorData tensor{
      "w",
      DType::float32,
      {1},
      std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(&number, 1))))};
  Node n;
  n.name = "node";
  n.op_type = "Anything";
  n.domain = "some.where";
  n.inputs = {"x", "", "w"};
  n.outputs = {"y"};
  const auto attribute = [&n](const char* name, Attribute::Kind kind) -> Attribute& {
    Attribute a;
    a.name = name;
    a.kind = kind;
    n.attributes.push_back(a);
    return n.attributes.back();
  };
  attribute("real", Attribute::Kind::real).real = 0.5F;
  attribute("integer", Attribute::Kind::integer).integer = -7;
  attribute("text", Attribute::Kind::text).text = "word";
  attribute("tensor", Attribute::Kind::tensor).tensor = tensor;
  attribute("reals", Attribute::Kind::reals).reals = {1.0F, -2.0F};
  attribute("integers", Attribute::Kind::integers).integers = {300, -1};
  attribute("texts", Attribute::Kind::texts).texts = {"a", ""};
  d.nodes.push_back(n);
  d.initializers.push_back(tensor);
  d.inputs.push_back({"x", DType::float32, true, {{-1, "N"}, {4, ""}}});
  d.outputs.push_back({"y", DType::float32, true, {{1, ""}}});
  const auto file = write_document(d);
  ASSERT_TRUE(file.ok());
  const auto back = read_document(*file, "x.onnx", nullptr);
  ASSERT_TRUE(back.ok()) << to_text(back.error());
  EXPECT_EQ(back->opset, 13);
  EXPECT_EQ(back->inputs[0].dims[0].name, "N");
  EXPECT_EQ(back->inputs[0].dims[1].size, 4);
  ASSERT_EQ(back->nodes.size(), 1U);
  const Node& node = back->nodes[0];
  EXPECT_EQ(node.inputs, n.inputs);
  EXPECT_EQ(node.domain, "some.where");
  EXPECT_EQ(node.real("real"), 0.5F);
  EXPECT_EQ(node.integer("integer"), -7);
  EXPECT_EQ(node.text("text"), "word");
  EXPECT_EQ(node.integers("integers"), (std::vector<int64_t>{300, -1}));
  EXPECT_EQ(node.find("reals", Attribute::Kind::reals)->reals, (std::vector<float>{1.0F, -2.0F}));
  EXPECT_EQ(node.find("texts", Attribute::Kind::texts)->texts, (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(node.find("tensor", Attribute::Kind::tensor)->tensor.as<float>()[0], 2.5F);
  EXPECT_EQ(back->initializers[0].as<float>()[0], 2.5F);
  EXPECT_EQ(*write_document(*back), *file);
}

TEST(OnnxWrite, RefusesWhatItDoesNotKnow) {
  Graph g;
  g.name = "main";
  Value v;
  v.name = "x";
  v.shape = {1, 4};
  g.values = {v, v};
  g.values[1].name = "y";
  Op op;
  op.kind = OpKind::relu;
  op.inputs = {0};
  op.outputs = {1};
  g.ops = {op};
  g.inputs = {0};
  g.outputs = {1};
  const auto made = document_of(g);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message,
            "#0 RELU 'y' has no form in ONNX here: the writer does not know it");
}

// A set of operators of its own is named once, beside ONNX's.
TEST(OnnxWrite, NamesTheSetsOfItsOperators) {
  Document d;
  d.ir_version = 8;
  d.opset = 13;
  for (const char* output : {"b", "c"}) {
    Node n;
    n.op_type = "QLinearAdd";
    n.domain = "com.example";
    n.outputs = {output};
    d.nodes.push_back(n);
  }
  const auto bytes = write_document(d);
  ASSERT_TRUE(bytes.ok());
  const std::string_view text = as_text(*bytes);
  // Field 8 of the model: a domain of eleven letters and its version 1.
  const std::string set = std::string("\x42\x0f\x0a\x0b") + "com.example" + "\x10\x01";
  const size_t at = text.find(set);
  ASSERT_NE(at, std::string_view::npos);
  EXPECT_EQ(text.find(set, at + 1), std::string_view::npos);
}

}  // namespace
}  // namespace edgetwin::onnx
