// Small float networks in ONNX's order of axes, operator by operator.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/rng.h"
#include "graph/graph.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::quantize {

class Builder {
 public:
  explicit Builder(uint32_t seed = 1) : rng_(seed) {
    graph.layout = Layout::nchw;
    graph.name = "net";
  }

  ValueId value(const std::string& name, Shape shape) {
    Value v;
    v.name = name;
    v.shape = shape;
    graph.values.push_back(std::move(v));
    return static_cast<ValueId>(graph.values.size() - 1);
  }
  ValueId input(const std::string& name, Shape shape) {
    graph.inputs.push_back(value(name, shape));
    return graph.inputs.back();
  }
  ValueId constant(const std::string& name, Shape shape, std::vector<float> values) {
    const ValueId id = value(name, shape);
    Bytes data(values.size() * sizeof(float));
    std::memcpy(data.data(), values.data(), data.size());
    graph.value(id).constant = std::make_shared<const Bytes>(std::move(data));
    return id;
  }
  ValueId random(const std::string& name, Shape shape, float scale = 1.0F) {
    return constant(name, shape, numbers(static_cast<size_t>(shape.elements()), scale));
  }
  std::vector<float> numbers(size_t count, float scale) {
    std::vector<float> values(count);
    for (float& x : values) x = (static_cast<float>(rng_.next() >> 8) / 8388608.0F - 1.0F) * scale;
    return values;
  }
  // An operator with one output of the given shape; named after its type and number.
  ValueId op(OpKind kind, const std::string& type, std::vector<ValueId> inputs, Shape shape,
             Attrs attrs) {
    Op o;
    o.kind = kind;
    o.type = type;
    o.name = type + std::to_string(graph.ops.size() + 1);
    o.inputs = std::move(inputs);
    o.outputs = {value(o.name + "_o", shape)};
    o.attrs = std::move(attrs);
    graph.ops.push_back(std::move(o));
    return graph.ops.back().outputs[0];
  }
  ValueId op(OpKind kind, const std::string& type, std::vector<ValueId> inputs, Shape shape) {
    return op(kind, type, std::move(inputs), shape, default_attrs(kind));
  }
  // 1x1, from c to n channels.
  ValueId conv(ValueId in, int64_t n, float scale = 1.0F) {
    const Shape& s = graph.value(in).shape;
    const std::string number = std::to_string(graph.ops.size() + 1);
    const ValueId w = random("w" + number, {n, s[1], 1, 1}, scale);
    const ValueId b = random("b" + number, {n}, scale);
    Conv2DAttrs a;
    a.stride_h = a.stride_w = 1;
    a.padding.kind = Padding::Kind::given;
    return op(OpKind::conv_2d, "Conv", {in, w, b},
              {1, n, graph.value(in).shape[2], graph.value(in).shape[3]}, a);
  }
  ValueId relu(ValueId in) { return op(OpKind::relu, "Relu", {in}, graph.value(in).shape); }
  ValueId add(ValueId a, ValueId b) { return op(OpKind::add, "Add", {a, b}, graph.value(a).shape); }

  Graph finish(std::vector<ValueId> outputs) {
    graph.outputs = std::move(outputs);
    return graph;
  }
  std::vector<Sample> samples(size_t count, float scale = 1.0F) {
    std::vector<Sample> all(count);
    for (Sample& s : all) {
      for (const ValueId id : graph.inputs) {
        Tensor t = *Tensor::zeros(DType::float32, graph.value(id).shape);
        const auto values = numbers(t.as<float>().size(), scale);
        std::copy(values.begin(), values.end(), t.as<float>().begin());
        s.push_back(std::move(t));
      }
    }
    return all;
  }

  Graph graph;

 private:
  XorShift32 rng_;
};

}  // namespace edgetwin::quantize
