// Documents made by hand for the tests of the .espdl reader and writer.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.h"
#include "formats/espdl/write/write.h"

namespace edgetwin::espdl::testing {

inline Bytes counting(size_t size, int first = 1) {
  Bytes bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return bytes;
}

inline TensorData tensor(std::string name, DataType type, std::vector<int64_t> dims, size_t size) {
  TensorData t;
  t.name = std::move(name);
  t.type = type;
  t.dims = std::move(dims);
  t.exponents = {-7};
  t.data = counting(size);
  return t;
}

inline ValueInfo value(std::string name, std::vector<int64_t> shape, int64_t exponent) {
  ValueInfo v;
  v.name = std::move(name);
  v.type = DataType::int8;
  v.has_shape = true;
  v.shape = std::move(shape);
  v.exponents = {exponent};
  return v;
}

inline Attribute integer(std::string name, int64_t i) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::int_value;
  a.i = i;
  return a;
}

inline Attribute text(std::string name, std::string s) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::string;
  a.s = std::move(s);
  return a;
}

inline Attribute floats(std::string name, std::vector<float> values) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::floats;
  a.floats = std::move(values);
  return a;
}

// in [1, 2, 2, 3] -> Conv 1x1 to 4 channels -> out
inline Document small_document() {
  Document d;
  d.ir_version = 8;
  d.graph_name = "small";
  Node conv;
  conv.name = "conv";
  conv.op_type = "Conv";
  conv.inputs = {"in", "weight", "bias"};
  conv.outputs = {"out"};
  conv.attributes = {text("activation", "Relu"), integer("group", 1), text("quant_type", "S8")};
  d.nodes = {conv};
  d.initializers = {tensor("weight", DataType::int8, {1, 1, 3, 4}, 12),
                    tensor("bias", DataType::int32, {4}, 16)};
  d.initializers[0].doc_string = "layout ==> (N/16)HWC16_UNALIGNED";
  d.initializers[1].exponents = {-12};
  d.inputs = {value("in", {1, 2, 2, 3}, -5)};
  d.outputs = {value("out", {1, 2, 2, 4}, -4)};
  d.values = {d.inputs[0], d.outputs[0]};
  return d;
}

// Something of everything that a document can hold.
inline Document full_document() {
  Document d = small_document();
  d.model_version = 3;
  d.producer_name = "hand";
  d.producer_version = "1";
  d.domain = "d";
  d.doc_string = "doc";
  d.opset_import = {{"", 18}, {"other", 1}};
  d.metadata = {{"target", "esp32s3"}, {"", ""}};
  d.graph_doc_string = "graph doc";
  Node node;
  node.name = "everything";
  node.op_type = "Strange";
  node.domain = "x";
  node.doc_string = "node doc";
  node.inputs = {"out", "", "in"};
  node.outputs = {"a", "b"};
  Attribute f;
  f.name = "alpha";
  f.doc_string = "attribute doc";
  f.type = AttributeType::float_value;
  f.f = -0.3F;
  Attribute undefined;
  undefined.name = "undefined";
  Attribute ints;
  ints.name = "pads";
  ints.type = AttributeType::ints;
  ints.ints = {0, -1, int64_t{1} << 40};
  Attribute strings;
  strings.name = "strings";
  strings.type = AttributeType::strings;
  strings.strings = {"", "one", std::string("nul\0nul", 7)};
  Attribute one;
  one.name = "tensor";
  one.type = AttributeType::tensor;
  one.tensors = {tensor("t", DataType::float32, {}, 4)};
  Attribute many;
  many.name = "tensors";
  many.type = AttributeType::tensors;
  many.tensors = {tensor("t0", DataType::int64, {3}, 24), tensor("t1", DataType::uint8, {0}, 0)};
  node.attributes = {f,
                     integer("big", -(int64_t{1} << 62)),
                     text("empty", ""),
                     ints,
                     floats("floats", {0.1F, -0.0F, 3e38F}),
                     strings,
                     one,
                     many,
                     undefined};
  d.nodes.push_back(node);
  d.initializers.push_back(tensor("per channel", DataType::int16, {1, 1, 1, 3}, 6));
  d.initializers.back().exponents = {-1, -2, -3};
  d.initializers.push_back(tensor("truth", DataType::boolean, {2}, 2));
  d.initializers.back().data = {std::byte{0}, std::byte{1}};
  d.initializers.push_back(tensor("no exponent", DataType::float64, {1}, 8));
  d.initializers.back().exponents.clear();
  d.values.push_back(value("a", {-1, 0, 7}, 30));
  d.values.back().doc_string = "value doc";
  d.values.push_back({"b", "", DataType::float16, false, {}, {}});
  d.values.push_back({"untyped", "", DataType::undefined, false, {}, {1, 2}});
  d.values.push_back({"scalar", "", DataType::boolean, true, {}, {0}});
  d.test_inputs = {tensor("in", DataType::int8, {1, 2, 2, 3}, 12)};
  d.test_outputs = {tensor("out", DataType::int8, {1, 2, 2, 4}, 16)};
  return d;
}

inline ModelFile model_file(std::string name, Document document) {
  ModelFile model;
  model.name = std::move(name);
  model.document = std::move(document);
  return model;
}

inline Container small_package(int version) {
  return *pack({model_file("b.espdl", small_document()), model_file("a.espdl", full_document())},
               version);
}

inline const Key kKey = *parse_key("000102030405060708090a0b0c0d0e0f");

}  // namespace edgetwin::espdl::testing
