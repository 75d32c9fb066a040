#include "signals/fft/maker.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "signals/fft/scales.h"
#include "tensor/tensor.h"

namespace edgetwin::signals {
namespace {

template <class T>
std::shared_ptr<const Bytes> shared_bytes(const std::vector<T>& numbers) {
  return std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(numbers))));
}

template <class T>
std::shared_ptr<const Bytes> rounded(const std::vector<float>& numbers, double steps) {
  std::vector<T> made(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double value = std::nearbyint(static_cast<double>(numbers[i]) * steps);
    // A factor of 1 is one step beyond the largest integer.
    made[i] = static_cast<T>(std::clamp(value, double{std::numeric_limits<T>::lowest()},
                                        double{std::numeric_limits<T>::max()}));
  }
  return shared_bytes(made);
}

DType dtype_of_number(FftNumber number) {
  switch (number) {
    case FftNumber::int8:
      return DType::int8;
    case FftNumber::int16:
      return DType::int16;
    case FftNumber::float32:
      break;
  }
  return DType::float32;
}

}  // namespace

ValueId FftMaker::activation(const std::string& name, const Shape& shape, double reach) {
  Value v;
  v.name = name;
  v.dtype = dtype_of_number(number_);
  v.shape = shape;
  v.quant = quant_of(number_, reach);
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId FftMaker::like(const std::string& name, ValueId from, const Shape& shape) {
  Value v = value(from);
  v.name = name;
  v.shape = shape;
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId FftMaker::constant(const std::string& name, const Shape& shape,
                           const std::vector<float>& numbers, bool wide) {
  Value v;
  v.name = name;
  v.shape = shape;
  if (number_ == FftNumber::float32) {
    v.constant = shared_bytes(numbers);
  } else if (number_ == FftNumber::int16 && wide) {
    v.dtype = DType::int16;
    v.quant = Quant::affine(1.0F / 32767.0F, 0);
    v.constant = rounded<int16_t>(numbers, 32767.0);
  } else {
    v.dtype = DType::int8;
    v.quant = Quant::affine(1.0F / 127.0F, 0);
    v.constant = rounded<int8_t>(numbers, 127.0);
  }
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId FftMaker::integers(const std::string& name, const std::vector<int32_t>& numbers,
                           bool scalar) {
  Value v;
  v.name = name;
  v.dtype = DType::int32;
  if (!scalar) v.shape = {static_cast<int64_t>(numbers.size())};
  v.constant = shared_bytes(numbers);
  graph_.values.push_back(std::move(v));
  return static_cast<ValueId>(graph_.values.size() - 1);
}

// The versions in which TensorFlow Lite registered 8 and 16 bits of each operator.
int FftMaker::version(OpKind kind) const {
  struct Row {
    OpKind kind;
    int int8, int16;
  };
  constexpr Row kRows[] = {{OpKind::add, 2, 3},   {OpKind::sub, 2, 5},
                           {OpKind::mul, 2, 4},   {OpKind::concatenation, 2, 3},
                           {OpKind::split, 2, 4}, {OpKind::fully_connected, 6, 7}};
  for (const Row& row : kRows) {
    if (row.kind != kind) continue;
    if (number_ == FftNumber::int8) return row.int8;
    // Without a bias: version 6, whatever the numbers.
    if (number_ == FftNumber::float32) return kind == OpKind::fully_connected ? 6 : 1;
    return row.int16;
  }
  return 1;
}

void FftMaker::op(OpKind kind, Attrs attrs, std::vector<ValueId> inputs,
                  std::vector<ValueId> outputs) {
  Op made;
  made.kind = kind;
  made.version = version(kind);
  made.attrs = std::move(attrs);
  made.inputs = std::move(inputs);
  made.outputs = std::move(outputs);
  graph_.ops.push_back(std::move(made));
}

ValueId FftMaker::binary(OpKind kind, const std::string& name, ValueId a, ValueId b, double reach) {
  const ValueId made = activation(name, Shape(value(a).shape), reach);
  BinaryAttrs attrs;
  attrs.pot_scale_int16 = kind == OpKind::mul;  // MUL has no such option
  op(kind, attrs, {a, b}, {made});
  return made;
}

ValueId FftMaker::reshape(const std::string& name, ValueId from, const Shape& shape) {
  std::vector<int32_t> sizes;
  for (const int64_t size : shape.dims()) sizes.push_back(static_cast<int32_t>(size));
  const ValueId wanted = integers(name + "/shape", sizes, false);
  const ValueId made = like(name, from, shape);
  op(OpKind::reshape, ReshapeAttrs{sizes}, {from, wanted}, {made});
  return made;
}

std::pair<ValueId, ValueId> FftMaker::halves(const std::string& first, const std::string& second,
                                             ValueId from, int axis) {
  const ValueId where = integers(first + "/axis", {axis}, true);
  Shape shape = value(from).shape;
  shape[axis] /= 2;
  const ValueId a = like(first, from, shape), b = like(second, from, shape);
  op(OpKind::split, SplitAttrs{2}, {where, from}, {a, b});
  return {a, b};
}

ValueId FftMaker::joined(const std::string& name, ValueId a, ValueId b, int axis) {
  Shape shape = value(a).shape;
  shape[axis] *= 2;
  const ValueId made = like(name, a, shape);
  op(OpKind::concatenation, ConcatAttrs{axis}, {a, b}, {made});
  return made;
}

ValueId FftMaker::product(const std::string& name, ValueId x, ValueId matrix, double reach) {
  const ValueId made = activation(name, {value(x).shape[0], value(matrix).shape[0]}, reach);
  op(OpKind::fully_connected, FullyConnectedAttrs{}, {x, matrix, kAbsent}, {made});
  return made;
}

Model FftMaker::finish(ValueId input, ValueId output, std::string description) && {
  graph_.inputs = {input};
  graph_.outputs = {output};
  Model model;
  model.format = "tflite";
  model.description = std::move(description);
  model.graphs.push_back(std::move(graph_));
  return model;
}

}  // namespace edgetwin::signals
