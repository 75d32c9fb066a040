#include "compare/onnx_writer.h"

#include <algorithm>

#include "tensor/tensor.h"

namespace edgetwin::bench {
namespace {

using onnx::Attribute;

// The first operator set that quantizes to 16 bits, and the last before it. ONNX Runtime 1.30 fails
// to turn int8 to uint8 around a Transpose of its own where a network says the newer one.
constexpr int64_t kIrVersion = 10, kOpset16 = 21, kOpset8 = 19;

const std::vector<int64_t> kToFirst = {0, 3, 1, 2}, kToLast = {0, 2, 3, 1};

// The elements of a constant of rank 4 in the other order.
Bytes moved_to_first(const Value& v) {
  const int64_t h = v.shape[1], w = v.shape[2], c = v.shape[3];
  const auto size = static_cast<int64_t>(byte_size(v.dtype));
  Bytes moved(v.constant->size());
  int64_t to = 0;
  for (int64_t n = 0; n < v.shape[0]; ++n) {
    for (int64_t k = 0; k < c; ++k) {
      for (int64_t i = 0; i < h * w; ++i, to += size) {
        const int64_t from = ((n * h * w + i) * c + k) * size;
        std::copy_n(v.constant->begin() + from, size, moved.begin() + to);
      }
    }
  }
  return moved;
}

Shape first(const Shape& s) { return {s[0], s[3], s[1], s[2]}; }

Attribute attribute_named(const char* name, Attribute::Kind kind) {
  Attribute a;
  a.name = name;
  a.kind = kind;
  return a;
}

}  // namespace

Attribute integer_attribute(const char* name, int64_t value) {
  Attribute a = attribute_named(name, Attribute::Kind::integer);
  a.integer = value;
  return a;
}

Attribute integers_attribute(const char* name, std::vector<int64_t> values) {
  Attribute a = attribute_named(name, Attribute::Kind::integers);
  a.integers = std::move(values);
  return a;
}

Attribute real_attribute(const char* name, float value) {
  Attribute a = attribute_named(name, Attribute::Kind::real);
  a.real = value;
  return a;
}

Attribute text_attribute(const char* name, const char* value) {
  Attribute a = attribute_named(name, Attribute::Kind::text);
  a.text = value;
  return a;
}

std::vector<double> numbers_of(const Value& value) {
  std::vector<double> numbers(static_cast<size_t>(value.shape.elements()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = element_as_double(value.dtype, *value.constant, static_cast<int64_t>(i));
  }
  return numbers;
}

std::vector<int64_t> integers_of(const Value& value) {
  const std::vector<double> numbers = numbers_of(value);
  std::vector<int64_t> integers(numbers.size());
  std::transform(numbers.begin(), numbers.end(), integers.begin(),
                 [](double x) { return static_cast<int64_t>(x); });
  return integers;
}

OnnxWriter::OnnxWriter(const Graph& graph) : g_(graph) {
  for (const ValueId id : g_.inputs) names_[{id, Channels::last}] = value(id).name;
}

std::string OnnxWriter::fresh(const std::string& hint) {
  return hint + "#" + std::to_string(count_++);
}

std::string OnnxWriter::constant(const std::string& hint, DType type, const Shape& shape,
                                 Bytes data) {
  onnx::TensorData t;
  t.name = fresh(hint);
  t.dtype = type;
  t.shape = shape;
  t.data = std::make_shared<const Bytes>(std::move(data));
  d_.initializers.push_back(std::move(t));
  return d_.initializers.back().name;
}

std::string OnnxWriter::integers(const std::string& hint, const std::vector<int64_t>& numbers) {
  return constant_of(hint, DType::int64, {static_cast<int64_t>(numbers.size())}, numbers);
}

std::string OnnxWriter::real(const std::string& hint, float number) {
  return constant_of(hint, DType::float32, {}, std::vector<float>{number});
}

void OnnxWriter::node_to(const std::string& result, const char* type,
                         std::vector<std::string> inputs, std::vector<Attribute> attributes,
                         const char* domain) {
  onnx::Node n;
  n.index = d_.nodes.size();
  n.name = fresh(type);
  n.op_type = type;
  n.domain = domain;
  n.inputs = std::move(inputs);
  n.outputs = {result};
  n.attributes = std::move(attributes);
  d_.nodes.push_back(std::move(n));
}

std::string OnnxWriter::node(const char* type, std::vector<std::string> inputs,
                             std::vector<Attribute> attributes, const char* domain) {
  std::string result = fresh(type);
  node_to(result, type, std::move(inputs), std::move(attributes), domain);
  return result;
}

// Constants of fewer axes are read beside pictures: their last axis is that of the channels.
std::string OnnxWriter::constant_value(ValueId id, Channels order) {
  const Value& v = value(id);
  if (order == Channels::last || v.shape.elements() == 1) {
    return constant(v.name, v.dtype, v.shape, *v.constant);
  }
  if (v.shape.rank() == 4) {
    return constant(v.name, v.dtype, first(v.shape), moved_to_first(v));
  }
  return constant(v.name, v.dtype, {v.shape.back(0), 1, 1}, *v.constant);
}

std::string OnnxWriter::read(ValueId id, Channels order) {
  const auto found = names_.find({id, order});
  if (found != names_.end()) return found->second;
  const Value& v = value(id);
  std::string name;
  const Channels other = order == Channels::last ? Channels::first : Channels::last;
  const auto there = names_.find({id, other});
  if (v.is_constant()) {
    name = constant_value(id, order);
  } else if (there == names_.end()) {
    name = v.name;  // nothing has made it: a variable
  } else if (v.shape.rank() != 4) {
    name = there->second;
  } else {
    name = node("Transpose", {there->second},
                {integers_attribute("perm", order == Channels::first ? kToFirst : kToLast)});
  }
  names_[{id, order}] = name;
  return name;
}

Channels OnnxWriter::order_of(ValueId id) const {
  return names_.contains({id, Channels::first}) && value(id).shape.rank() == 4 ? Channels::first
                                                                               : Channels::last;
}

std::string OnnxWriter::made(ValueId id, Channels order) {
  std::string& name = names_[{id, order}];
  name = fresh(value(id).name);
  return name;
}

std::string OnnxWriter::read_real(ValueId id, Channels order) {
  const Value& v = value(id);
  if (v.dtype == DType::float32 || !v.quant.present()) return read(id, order);
  std::string& name = real_names_[{id, order}];
  if (!name.empty()) return name;
  const bool has_scale_each = v.quant.per_channel();
  const int axis =
      order == Channels::first && v.shape.rank() == 4 && v.quant.axis == 3 ? 1 : v.quant.axis;
  name = node(
      "DequantizeLinear", {read(id, order), scale(id), zero_point(id)},
      has_scale_each ? std::vector{integer_attribute("axis", axis)} : std::vector<Attribute>{});
  return name;
}

void OnnxWriter::finish_real(ValueId id, Channels order, const std::string& reals) {
  const Value& v = value(id);
  if (v.dtype == DType::float32 || !v.quant.present()) {
    names_[{id, order}] = reals;
    return;
  }
  node_to(made(id, order), "QuantizeLinear", {reals, scale(id), zero_point(id)});
}

std::string OnnxWriter::scale(ValueId id) {
  std::string& name = scales_[id];
  if (!name.empty()) return name;
  const Quant& q = value(id).quant;
  if (!q.per_channel()) return name = real(value(id).name + ".scale", q.scale_of(0));
  std::vector<float> scales(q.channels());
  for (size_t i = 0; i < scales.size(); ++i) scales[i] = q.scale_of(i);
  return name = constant_of(value(id).name + ".scale", DType::float32,
                            {static_cast<int64_t>(scales.size())}, scales);
}

std::string OnnxWriter::zero_point(ValueId id) {
  std::string& name = zeros_[id];
  if (!name.empty()) return name;
  const Value& v = value(id);
  const size_t size = byte_size(v.dtype), count = std::max<size_t>(1, v.quant.channels());
  Bytes data(count * size);
  for (size_t i = 0; i < count; ++i) {
    const int64_t zero = v.quant.zero_point_of(i);
    std::memcpy(data.data() + i * size, &zero, size);
  }
  const Shape shape = count == 1 ? Shape{} : Shape{static_cast<int64_t>(count)};
  return name = constant(v.name + ".zero", v.dtype, shape, std::move(data));
}

onnx::Document OnnxWriter::finish() {
  d_.ir_version = kIrVersion;
  const bool wide = std::ranges::any_of(
      g_.values, [](const Value& v) { return v.quant.present() && v.dtype == DType::int16; });
  d_.opset = wide ? kOpset16 : kOpset8;
  d_.producer = "edgetwin bench";
  d_.graph_name = g_.name;
  const auto info = [&](ValueId id, const std::string& name) {
    onnx::ValueInfo made;
    made.name = name;
    made.dtype = value(id).dtype;
    made.has_shape = true;
    for (const int64_t size : value(id).shape.dims()) made.dims.push_back({size, ""});
    return made;
  };
  for (const ValueId id : g_.inputs) d_.inputs.push_back(info(id, value(id).name));
  for (const ValueId id : g_.outputs) {
    const std::string result = fresh("output");
    node_to(result, "Identity", {read(id, Channels::last)});
    d_.outputs.push_back(info(id, result));
  }
  return std::move(d_);
}

}  // namespace edgetwin::bench
