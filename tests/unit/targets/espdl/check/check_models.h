// Small documents for the tests of rules, in the exporter's form.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "formats/espdl/document/document.h"

namespace edgetwin::targets::espdl::testing {

using edgetwin::espdl::Attribute;
using edgetwin::espdl::AttributeType;
using edgetwin::espdl::DataType;
using edgetwin::espdl::Document;
using edgetwin::espdl::Node;
using edgetwin::espdl::TensorData;
using edgetwin::espdl::ValueInfo;

using Dims = std::vector<int64_t>;
using Names = std::vector<std::string>;

inline Attribute i(std::string name, int64_t value) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::int_value;
  a.i = value;
  return a;
}

inline Attribute s(std::string name, std::string value) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::string;
  a.s = std::move(value);
  return a;
}

inline Attribute is(std::string name, Dims values) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::ints;
  a.ints = std::move(values);
  return a;
}

inline Attribute f(std::string name, float value) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::float_value;
  a.f = value;
  return a;
}

// Put together in a chain: Net().in("x", {1, 16}).node("Relu", {"x"}, {"y"}).out("y", {1, 16}).d
struct Net {
  Document d;

  Net() { d.graph_name = "test"; }

  static ValueInfo info(std::string name, Dims dims, int64_t exponent, DataType type) {
    ValueInfo v;
    v.name = std::move(name);
    v.type = type;
    v.has_shape = true;
    v.shape = std::move(dims);
    v.exponents = {exponent};
    return v;
  }
  Net& value(std::string name, Dims dims, int64_t e = -5, DataType type = DataType::int8) {
    d.values.push_back(info(std::move(name), std::move(dims), e, type));
    return *this;
  }
  Net& in(std::string name, Dims dims, int64_t e = -5, DataType type = DataType::int8) {
    value(std::move(name), std::move(dims), e, type);
    d.inputs.push_back(d.values.back());
    return *this;
  }
  Net& out(std::string name, Dims dims, int64_t e = -5, DataType type = DataType::int8) {
    value(std::move(name), std::move(dims), e, type);
    d.outputs.push_back(d.values.back());
    return *this;
  }
  // All elements are `element`.
  Net& constant(std::string name, DataType type, Dims dims, Dims exponents, int64_t element) {
    int64_t n = 1;
    for (const int64_t v : dims) n *= v;
    return list(std::move(name), type, std::move(dims), std::move(exponents),
                Dims(static_cast<size_t>(n), element));
  }
  Net& list(std::string name, DataType type, Dims dims, Dims exponents, const Dims& elements) {
    TensorData t;
    t.name = std::move(name);
    t.type = type;
    t.dims = std::move(dims);
    t.exponents = std::move(exponents);
    const size_t size = type == DataType::int8    ? 1
                        : type == DataType::int16 ? 2
                        : type == DataType::int64 ? 8
                                                  : 4;
    t.data.resize(elements.size() * size);
    for (size_t k = 0; k < elements.size(); ++k) {
      if (type == DataType::float32) {
        const auto real = static_cast<float>(elements[k]);
        std::memcpy(t.data.data() + k * size, &real, size);
      } else {
        std::memcpy(t.data.data() + k * size, &elements[k], size);
      }
    }
    d.initializers.push_back(std::move(t));
    return *this;
  }
  // A list of INT64, as shapes, axes and pads are.
  Net& numbers(std::string name, const Dims& values) {
    return list(std::move(name), DataType::int64, {static_cast<int64_t>(values.size())}, {0},
                values);
  }
  Net& node(std::string type, Names inputs, Names outputs, std::vector<Attribute> attributes = {},
            std::string quant = "S8") {
    Node n;
    n.op_type = std::move(type);
    n.name = "n" + std::to_string(d.nodes.size());
    n.inputs = std::move(inputs);
    n.outputs = std::move(outputs);
    n.attributes = std::move(attributes);
    if (!quant.empty()) n.attributes.push_back(s("quant_type", std::move(quant)));
    d.nodes.push_back(std::move(n));
    return *this;
  }
};

// x -> one operator -> y, both of the same shape and exponent.
inline Net unary(std::string type, std::vector<Attribute> attributes = {}, Dims dims = {1, 64},
                 DataType data = DataType::int8) {
  const char* quant = data == DataType::int8 ? "S8" : data == DataType::int16 ? "S16" : "F32";
  const int64_t e = data == DataType::int8 ? -5 : data == DataType::int16 ? -10 : 0;
  return Net()
      .in("x", dims, e, data)
      .node(std::move(type), {"x"}, {"y"}, std::move(attributes), quant)
      .out("y", dims, e, data);
}

// What a 1x1 convolution of 16 channels may have otherwise than usual.
struct ConvForm {
  int64_t weight = 1;
  Dims weight_exponents = {-7};
  int64_t bias = 3;
  Dims bias_exponents = {-12};
  DataType bias_type = DataType::int32;
  int64_t out_exponent = -4;
  int64_t batch = 1;
  Dims weight_dims = {1, 1, 16, 16};
  int64_t group = 1;
  std::string tag = "(N/16)HWC16";
  std::vector<Attribute> more = {};
};

inline Net conv(const ConvForm& form = {}) {
  std::vector<Attribute> attributes = {i("group", form.group), is("strides", {1, 1}),
                                       is("kernel_shape", {1, 1}), is("dilations", {1, 1}),
                                       is("pads", {0, 0, 0, 0})};
  attributes.insert(attributes.end(), form.more.begin(), form.more.end());
  Net net;
  net.in("x", {form.batch, 2, 2, 16})
      .constant("w", DataType::int8, form.weight_dims, form.weight_exponents, form.weight)
      .constant("b", form.bias_type, {16}, form.bias_exponents, form.bias)
      .node("Conv", {"x", "w", "b"}, {"y"}, std::move(attributes))
      .out("y", {form.batch, 2, 2, 16}, form.out_exponent);
  net.d.initializers[0].doc_string = "layout ==> " + form.tag;
  return net;
}

inline std::vector<Attribute> pool(std::vector<Attribute> more = {}) {
  std::vector<Attribute> all = {is("strides", {1, 1}), is("kernel_shape", {1, 1}),
                                is("pads", {0, 0, 0, 0})};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace edgetwin::targets::espdl::testing
