// Documents of one operator, for the tests of the importer.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "exec/session.h"
#include "formats/espdl/import/import.h"
#include "unit/formats/espdl/espdl_models.h"

namespace edgetwin::espdl::testing {

inline Attribute list(std::string name, std::vector<int64_t> values) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::ints;
  a.ints = std::move(values);
  return a;
}

inline Attribute real(std::string name, float value) {
  Attribute a;
  a.name = std::move(name);
  a.type = AttributeType::float_value;
  a.f = value;
  return a;
}

template <class T>
TensorData data(std::string name, DataType type, std::vector<int64_t> dims,
                const std::vector<T>& values, std::vector<int64_t> exponents = {0}) {
  TensorData t;
  t.name = std::move(name);
  t.type = type;
  t.dims = std::move(dims);
  t.exponents = std::move(exponents);
  t.data.resize(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

inline TensorData longs(std::string name, const std::vector<int64_t>& values) {
  return data<int64_t>(std::move(name), DataType::int64, {static_cast<int64_t>(values.size())},
                       values);
}

// One operator between inputs and outputs that are declared here.
struct Sketch {
  Document d;

  explicit Sketch(std::string op_type, std::vector<Attribute> attributes = {}) {
    Node node;
    node.name = "node";
    node.op_type = std::move(op_type);
    node.attributes = std::move(attributes);
    node.attributes.push_back(text("quant_type", "S8"));
    d.nodes = {node};
  }
  Node& node() { return d.nodes[0]; }

  Sketch& in(std::vector<int64_t> shape, DataType type = DataType::int8, int64_t exponent = -3) {
    d.inputs.push_back(make("in" + std::to_string(node().inputs.size()), shape, type, exponent));
    node().inputs.push_back(d.inputs.back().name);
    return *this;
  }
  Sketch& constant(TensorData t) {
    node().inputs.push_back(t.name);
    d.initializers.push_back(std::move(t));
    return *this;
  }
  Sketch& absent() {
    node().inputs.emplace_back();
    return *this;
  }
  Sketch& out(std::vector<int64_t> shape, DataType type = DataType::int8, int64_t exponent = -3) {
    d.outputs.push_back(make("out" + std::to_string(node().outputs.size()), shape, type, exponent));
    node().outputs.push_back(d.outputs.back().name);
    return *this;
  }

  Result<Model> imported(Target target = Target::c) const {
    return espdl::import_document(d, target, "sketch.espdl");
  }
  Op op(Target target = Target::c) const {
    const auto model = imported(target);
    if (!model.ok()) {
      ADD_FAILURE() << to_text(model.error());
      return {};
    }
    return model->main().ops[0];
  }
  ErrorCode error(Target target = Target::c) const {
    const auto model = imported(target);
    EXPECT_FALSE(model.ok());
    if (model.ok()) return ErrorCode::internal;
    EXPECT_FALSE(model.error().message.empty());
    return model.error().code;
  }
  // What the only output holds after a run on the bytes of the only input.
  template <class T>
  std::vector<int> run(const std::vector<T>& input, const std::string& numerics,
                       Target target) const {
    auto model = imported(target);
    if (!model.ok()) {
      ADD_FAILURE() << to_text(model.error());
      return {};
    }
    exec::Options options;
    options.numerics = numerics;
    auto session =
        exec::Session::create(std::make_shared<const Graph>(std::move(model->graphs[0])), options);
    if (!session.ok()) {
      ADD_FAILURE() << to_text(session.error());
      return {};
    }
    EXPECT_TRUE(session->set_input(0, as_bytes(input)).ok());
    EXPECT_TRUE(session->run().ok());
    return numbers<T>(session->output(0).data);
  }

  template <class T>
  static ByteSpan as_bytes(const std::vector<T>& v) {
    return {reinterpret_cast<const std::byte*>(v.data()), v.size() * sizeof(T)};
  }
  template <class T>
  static std::vector<int> numbers(const Bytes& bytes) {
    std::vector<T> v(bytes.size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), bytes.data(), bytes.size());
    return {v.begin(), v.end()};
  }

 private:
  static ValueInfo make(std::string name, std::vector<int64_t> shape, DataType type,
                        int64_t exponent) {
    ValueInfo v = value(std::move(name), std::move(shape), exponent);
    v.type = type;
    return v;
  }
};

}  // namespace edgetwin::espdl::testing
