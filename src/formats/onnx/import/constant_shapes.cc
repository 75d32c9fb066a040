#include <algorithm>
#include <cmath>

#include "formats/onnx/import/constant_numbers.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

Result<Shape> wanted_shape(Importer& m, const Node& n, size_t i) {
  EDGETWIN_TRY_ASSIGN(const auto dims, m.integers(n, i, "the shape"));
  if (!dims || dims->size() > Shape::kMaxRank) {
    return m.error(n, ErrorCode::onnx_tensor, "no shape of at most 8 dimensions");
  }
  const Shape shape{std::span<const int64_t>(*dims)};
  const auto elements = checked_elements(*dims, kMostElements);
  if (!elements) return too_large(m, n, shape);
  return shape;
}

}  // namespace

Status constant_size(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const Shape shape = m.shape(x);
  Numbers out{DType::int64, {}, {}};
  if (n.op_type == "Size") {
    out.values = {static_cast<double>(shape.elements())};
    return bind(m, n, out);
  }
  const int64_t rank = shape.rank();
  const auto position = [rank](int64_t v) {
    return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank);
  };
  const int64_t begin = position(n.integer("start").value_or(0));
  const int64_t end = position(n.integer("end").value_or(rank));
  for (int64_t i = begin; i < end; ++i) {
    out.values.push_back(static_cast<double>(shape[static_cast<int>(i)]));
  }
  out.shape = {static_cast<int64_t>(out.values.size())};
  return bind(m, n, out);
}

Status constant_fill(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const Shape shape, wanted_shape(m, n, 0));
  Numbers out{DType::float32, shape, {}};
  double value = 0.0;
  if (const Attribute* a = n.find("value", Attribute::Kind::tensor)) {
    if (a->tensor.shape.elements() != 1) return m.bad_attribute(n, "value", "is not one number");
    out.dtype = a->tensor.dtype;
    value = element_as_double(out.dtype, *a->tensor.data, 0);
  }
  out.values.assign(static_cast<size_t>(shape.elements()), value);
  return bind(m, n, out);
}

Status constant_range(Importer& m, const Node& n, const std::vector<Numbers>& operands) {
  bool scalars = operands.size() == 3;
  for (const Numbers& o : operands) scalars = scalars && o.values.size() == 1;
  if (!scalars || operands[2].values[0] == 0.0) {
    return m.error(n, ErrorCode::onnx_tensor, "start, limit and step must be one number each");
  }
  const double start = operands[0].values[0];
  const double step = operands[2].values[0];
  const double count = std::max(0.0, std::ceil((operands[1].values[0] - start) / step));
  if (!(count <= static_cast<double>(kMostElements))) return too_large(m, n, {});
  Numbers out{operands[0].dtype, {static_cast<int64_t>(count)}, {}};
  for (int64_t i = 0; i < out.shape[0]; ++i) {
    out.values.push_back(start + static_cast<double>(i) * step);
  }
  return bind(m, n, out);
}

Status constant_cast(Importer& m, const Node& n, Numbers operand) {
  switch (n.integer("to").value_or(0)) {
    case 1:
    case 10:
    case 11:
    case 16:
      operand.dtype = DType::float32;
      break;
    case 2:
      operand.dtype = DType::uint8;
      break;
    case 3:
      operand.dtype = DType::int8;
      break;
    case 6:
      operand.dtype = DType::int32;
      break;
    case 7:
      operand.dtype = DType::int64;
      break;
    case 9:
      operand.dtype = DType::boolean;
      break;
    default:
      return m.bad_attribute(n, "to", "asks for a type that is not read");
  }
  for (double& v : operand.values) {
    if (operand.dtype != DType::float32 && operand.dtype != DType::boolean) v = std::trunc(v);
  }
  return bind(m, n, operand);
}

Status constant_expand(Importer& m, const Node& n, const Numbers& operand) {
  EDGETWIN_TRY_ASSIGN(const Shape wanted, wanted_shape(m, n, 1));
  Shape shape;
  if (n.op_type == "Tile") {
    if (wanted.rank() != operand.shape.rank()) {
      return m.error(n, ErrorCode::onnx_tensor, "repeats are not one per axis");
    }
    std::vector<int64_t> dims;
    for (int i = 0; i < wanted.rank(); ++i) dims.push_back(operand.shape[i] * wanted[i]);
    if (!checked_elements(dims, kMostElements)) return too_large(m, n, wanted);
    shape = Shape(std::span<const int64_t>(dims));
  } else {
    const auto both = broadcast(operand.shape, wanted);
    if (!both || !checked_elements(both->dims(), kMostElements)) {
      return m.error(n, ErrorCode::op_shape,
                     to_string(operand.shape) + " cannot be expanded to " + to_string(wanted));
    }
    shape = *both;
  }
  Numbers out{operand.dtype, shape, {}};
  for (int64_t i = 0; i < shape.elements(); ++i) {
    int64_t at = 0;
    int64_t stride = 1;
    int64_t rest = i;
    for (int k = 0; k < shape.rank(); ++k) {
      const int64_t size = operand.shape.back(k);
      at += rest % shape.back(k) % size * stride;
      stride *= size;
      rest /= shape.back(k);
    }
    out.values.push_back(operand.values[static_cast<size_t>(at)]);
  }
  return bind(m, n, out);
}

}  // namespace edgetwin::onnx
