// A quantized graph written down as ONNX, value by value: names, both orders of axes, scales and
// zero points as constants. onnx_form.cc says which operator becomes which.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "formats/onnx/document/document.h"
#include "graph/graph.h"

namespace edgetwin::bench {

// Where the channels of a picture are: last as in our graphs, or first as ONNX's operators want.
enum class Channels : uint8_t { last, first };

onnx::Attribute integer_attribute(const char* name, int64_t value);
onnx::Attribute integers_attribute(const char* name, std::vector<int64_t> values);
onnx::Attribute real_attribute(const char* name, float value);
onnx::Attribute text_attribute(const char* name, const char* value);

class OnnxWriter {
 public:
  explicit OnnxWriter(const Graph& graph);

  const Graph& graph() const { return g_; }
  const Value& value(ValueId id) const { return g_.value(id); }

  // The name under which a value is read in this order; a transposition is added at first use.
  std::string read(ValueId id, Channels order);
  // The same in real numbers.
  std::string read_real(ValueId id, Channels order);
  // The order in which a value is there already.
  Channels order_of(ValueId id) const;
  // A new name for what is about to be computed.
  std::string made(ValueId id, Channels order);
  // Real numbers become the value: quantized where it is, else as they are.
  void finish_real(ValueId id, Channels order, const std::string& reals);

  // Constants of a value's quantization.
  std::string scale(ValueId id);
  std::string zero_point(ValueId id);

  std::string constant(const std::string& hint, DType type, const Shape& shape, Bytes data);
  std::string integers(const std::string& hint, const std::vector<int64_t>& numbers);
  std::string real(const std::string& hint, float number);
  template <class T>
  std::string constant_of(const std::string& hint, DType type, const Shape& shape,
                          const std::vector<T>& numbers) {
    return constant(hint, type, shape, to_bytes(std::as_bytes(std::span(numbers))));
  }

  // A node with one result; its name.
  std::string node(const char* type, std::vector<std::string> inputs,
                   std::vector<onnx::Attribute> attributes = {}, const char* domain = "");
  // The same, giving the result this name.
  void node_to(const std::string& result, const char* type, std::vector<std::string> inputs,
               std::vector<onnx::Attribute> attributes = {}, const char* domain = "");
  void add(onnx::Node node) { d_.nodes.push_back(std::move(node)); }
  std::string fresh(const std::string& hint);

  onnx::Document finish();

 private:
  std::string constant_value(ValueId id, Channels order);

  const Graph& g_;
  onnx::Document d_;
  std::map<std::pair<ValueId, Channels>, std::string> names_, real_names_;
  std::map<ValueId, std::string> scales_, zeros_;
  int count_ = 0;
};

// Numbers of a constant, whatever integers or floats it holds.
std::vector<double> numbers_of(const Value& value);
std::vector<int64_t> integers_of(const Value& value);

}  // namespace edgetwin::bench
