#include "targets/edgetpu/templates/parts.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "tensor/tensor.h"

namespace edgetwin::edgetpu::templates {

Error refused(std::string message, std::string argument) {
  return Error(ErrorCode::template_argument, std::move(message)).in_field(std::move(argument));
}

Maker::Maker(std::string description) : description_(std::move(description)) {
  graph_.name = "main";
}

ValueId Maker::tensor(const std::string& name, DType type, const Shape& shape, const Quant& quant) {
  Value v;
  v.name = name;
  v.dtype = type;
  v.shape = shape;
  v.quant = quant;
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId Maker::constant(const std::string& name, DType type, const Shape& shape, const Quant& quant,
                        ByteSpan bytes) {
  const ValueId id = tensor(name, type, shape, quant);
  graph_.value(id).constant = std::make_shared<const Bytes>(to_bytes(bytes));
  return id;
}

ValueId Maker::weights(const std::string& name, const Shape& shape, const Quant& quant,
                       const std::vector<int8_t>& data) {
  return constant(name, DType::int8, shape, quant, std::as_bytes(std::span(data)));
}

ValueId Maker::zero_bias(const std::string& name, const Quant& quant) {
  const std::vector<int32_t> zeros(quant.channels(), 0);
  return constant(name, DType::int32, {static_cast<int64_t>(zeros.size())}, quant,
                  std::as_bytes(std::span(zeros)));
}

ValueId Maker::same_bytes(const std::string& name, ValueId other, const Quant& quant) {
  const Value like = value(other);
  const ValueId id = tensor(name, like.dtype, like.shape, quant);
  graph_.value(id).constant = like.constant;
  return id;
}

ValueId Maker::numbers(const std::string& name, const std::vector<int32_t>& data) {
  return constant(name, DType::int32, {static_cast<int64_t>(data.size())}, {},
                  std::as_bytes(std::span(data)));
}

void Maker::op(OpKind kind, int version, Attrs attrs, std::vector<ValueId> inputs, ValueId output) {
  Op made;
  made.kind = kind;
  made.version = version;
  made.attrs = std::move(attrs);
  made.inputs = std::move(inputs);
  made.outputs = {output};
  graph_.ops.push_back(std::move(made));
}

void Maker::quantize(ValueId from, ValueId to) { op(OpKind::quantize, 1, NoAttrs{}, {from}, to); }

ValueId Maker::quantized_copy(const std::string& name, ValueId from, DType type,
                              const Quant& quant) {
  const ValueId to = tensor(name, type, Shape(value(from).shape), quant);
  quantize(from, to);
  return to;
}

Template Maker::finish(ValueId input, ValueId output, Metadata metadata) && {
  graph_.inputs = {input};
  graph_.outputs = {output};
  Template t;
  t.model.format = "tflite";
  t.model.description = std::move(description_);
  t.model.graphs.push_back(std::move(graph_));
  t.metadata = std::move(metadata);
  return t;
}

std::vector<int8_t> quantize_by(const std::vector<float>& real, double scale) {
  const auto divisor = static_cast<float>(scale);
  std::vector<int8_t> data(real.size());
  std::transform(real.begin(), real.end(), data.begin(), [divisor](float w) {
    return static_cast<int8_t>(std::clamp(std::nearbyint(w / divisor), -127.0F, 127.0F));
  });
  return data;
}

QuantizedWeights quantize_weights(const std::vector<float>& real, double least_magnitude) {
  double most = least_magnitude;
  for (const float w : real) most = std::max(most, static_cast<double>(std::fabs(w)));
  return {quantize_by(real, most / 127.0), most / 127.0};
}

double scale_of_integers(const std::vector<int8_t>& data) {
  int most = 1;
  for (const int8_t w : data) most = std::max(most, std::abs(int{w}));
  return most / 127.0;
}

int64_t sum_of_magnitudes(const std::vector<int8_t>& data) {
  return std::accumulate(data.begin(), data.end(), int64_t{0},
                         [](int64_t sum, int8_t w) { return sum + std::abs(int{w}); });
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace edgetwin::edgetpu::templates
