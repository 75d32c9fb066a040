// Small computations on constants. Numbers are held as double, which is exact for every size that a
// tensor can have.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "formats/onnx/importer.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

constexpr std::string_view kTypes[] = {
#define CONSTANT(type) #type,
#include "formats/onnx/constants.def"
#undef CONSTANT
};

constexpr int64_t kMostElements = int64_t{1} << 26;

struct Numbers {
  DType dtype = DType::float32;
  Shape shape;
  std::vector<double> values;
};

Numbers numbers_of(const Value& v) {
  Numbers n{v.dtype, v.shape, {}};
  for (int64_t i = 0; i < v.shape.elements(); ++i) {
    n.values.push_back(element_as_double(v.dtype, *v.constant, i));
  }
  return n;
}

template <class T>
void store(double v, std::byte* to) {
  T out;
  if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<T>(v);
  } else {
    // The first number beyond; 2^63 itself is no int64.
    constexpr auto kHigh = static_cast<double>(uint64_t{1} << std::numeric_limits<T>::digits);
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const bool beyond = !(v < kHigh);
    out = std::isnan(v) ? T{0}
          : beyond      ? std::numeric_limits<T>::max()
                        : static_cast<T>(std::max(v, low));
  }
  std::memcpy(to, &out, sizeof out);
}

Result<Bytes> bytes_of(Importer& m, const Node& n, const Numbers& numbers) {
  Bytes data(numbers.values.size() * byte_size(numbers.dtype));
  std::byte* to = data.data();
  for (const double v : numbers.values) {
    switch (numbers.dtype) {
      case DType::float32:
        store<float>(v, to);
        break;
      case DType::int64:
        store<int64_t>(v, to);
        break;
      case DType::int32:
        store<int32_t>(v, to);
        break;
      case DType::uint8:
        store<uint8_t>(v, to);
        break;
      case DType::int8:
        store<int8_t>(v, to);
        break;
      case DType::boolean:
        *to = std::byte{v != 0.0};
        break;
      default:
        return m.error(
            n, ErrorCode::onnx_tensor,
            "constants of type " + std::string(name(numbers.dtype)) + " are not computed with");
    }
    to += byte_size(numbers.dtype);
  }
  return data;
}

Status bind(Importer& m, const Node& n, const Numbers& numbers) {
  EDGETWIN_TRY_ASSIGN(Bytes data, bytes_of(m, n, numbers));
  return m.bind_constant(n, 0, numbers.dtype, numbers.shape, std::move(data));
}

Error too_large(const Importer& m, const Node& n, const Shape& shape) {
  return m.error(n, ErrorCode::out_of_memory, "a constant of " + to_string(shape));
}

// Index of an element of `out` in a tensor that is broadcast to it.
int64_t broadcast_index(int64_t index, const Shape& out, const Shape& in) {
  int64_t at = 0;
  int64_t stride = 1;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t size = in.back(i);
    at += (size == 1 ? 0 : index % out.back(i)) * stride;
    stride *= size;
    index /= out.back(i);
  }
  return at;
}

double truncated(double a, double b, bool integer) {
  if (!integer) return a / b;
  return b == 0.0 ? 0.0 : std::trunc(a / b);
}

// Mod of ONNX takes the sign of the divisor, fmod that of the dividend.
double modulo(double a, double b, bool fmod) {
  if (b == 0.0) return 0.0;
  return fmod ? std::fmod(a, b) : a - b * std::floor(a / b);
}

double binary(const Node& n, double a, double b, bool integer) {
  const std::string& t = n.op_type;
  if (t == "Add") return a + b;
  if (t == "Sub") return a - b;
  if (t == "Mul") return a * b;
  if (t == "Div") return truncated(a, b, integer);
  if (t == "Mod") return modulo(a, b, n.integer("fmod").value_or(0) != 0);
  if (t == "Max") return std::max(a, b);
  if (t == "Min") return std::min(a, b);
  if (t == "Equal") return a == b ? 1.0 : 0.0;
  if (t == "Greater") return a > b ? 1.0 : 0.0;
  if (t == "Less") return a < b ? 1.0 : 0.0;
  if (t == "And") return a != 0.0 && b != 0.0 ? 1.0 : 0.0;
  return a != 0.0 || b != 0.0 ? 1.0 : 0.0;  // Or
}

double unary(const std::string& t, double a) {
  if (t == "Floor") return std::floor(a);
  if (t == "Ceil") return std::ceil(a);
  if (t == "Round") return std::nearbyint(a);
  if (t == "Sqrt") return std::sqrt(a);
  if (t == "Neg") return -a;
  if (t == "Abs") return std::abs(a);
  if (t == "Reciprocal") return 1.0 / a;
  return a != 0.0 ? 0.0 : 1.0;  // Not
}

bool one_of(const std::string& type, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), type) != list.end();
}

Result<Shape> common_shape(Importer& m, const Node& n, const std::vector<Numbers>& operands) {
  Shape out = operands.at(0).shape;
  for (const Numbers& o : operands) {
    const auto both = broadcast(out, o.shape);
    if (!both) {
      return m.error(n, ErrorCode::op_shape,
                     to_string(out) + " and " + to_string(o.shape) + " do not fit together");
    }
    out = *both;
  }
  if (out.elements() > kMostElements) return too_large(m, n, out);
  return out;
}

Status elementwise(Importer& m, const Node& n, const std::vector<Numbers>& operands) {
  const bool where = n.op_type == "Where";
  if (operands.size() < (where ? 3U : 1U)) {
    return m.error(n, ErrorCode::graph_arity, "an operand is missing");
  }
  EDGETWIN_TRY_ASSIGN(const Shape shape, common_shape(m, n, operands));
  Numbers out{operands[where ? 1 : 0].dtype, shape, {}};
  const bool integer = operands[0].dtype != DType::float32;
  if (one_of(n.op_type, {"Equal", "Greater", "Less", "And", "Or", "Not"})) {
    out.dtype = DType::boolean;
  }
  const bool alone =
      one_of(n.op_type, {"Floor", "Ceil", "Round", "Sqrt", "Neg", "Abs", "Reciprocal", "Not"});
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const auto at = [&](size_t k) {
      return operands[k].values[static_cast<size_t>(broadcast_index(i, shape, operands[k].shape))];
    };
    double v = at(0);
    if (where) {
      v = at(0) != 0.0 ? at(1) : at(2);
    } else if (alone) {
      v = unary(n.op_type, v);
    } else {
      for (size_t k = 1; k < operands.size(); ++k) v = binary(n, v, at(k), integer);
    }
    out.values.push_back(v);
  }
  return bind(m, n, out);
}

Status shape_of(Importer& m, const Node& n) {
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

Status filled(Importer& m, const Node& n) {
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

Status range(Importer& m, const Node& n, const std::vector<Numbers>& operands) {
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

Status cast(Importer& m, const Node& n, Numbers operand) {
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

Status expand(Importer& m, const Node& n, const Numbers& operand) {
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

// Over all elements, as exporters ask for the size of a shape.
Result<bool> reduce_all(Importer& m, const Node& n, const Numbers& operand) {
  if (operand.shape.rank() > 1) return false;
  double v = n.op_type == "ReduceProd" ? 1.0 : 0.0;
  for (const double x : operand.values) v = n.op_type == "ReduceProd" ? v * x : v + x;
  Numbers out{operand.dtype, {}, {v}};
  if (n.integer("keepdims").value_or(1) != 0 && operand.shape.rank() == 1) out.shape = {1};
  EDGETWIN_TRY(bind(m, n, out));
  return true;
}

// Operators of the graph keep their own arithmetic for real numbers.
bool belongs_to_graph(const Node& n, const std::vector<Numbers>& operands) {
  const bool arithmetic =
      one_of(n.op_type, {"Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Equal", "Greater",
                         "Less", "Sqrt", "Neg", "ReduceProd", "ReduceSum"});
  return arithmetic && !operands.empty() && operands[0].dtype == DType::float32;
}

}  // namespace

bool is_constant_operator(std::string_view op_type) {
  return std::find(std::begin(kTypes), std::end(kTypes), op_type) != std::end(kTypes);
}

Result<bool> evaluate_constant(Importer& m, const Node& n) {
  if (!is_constant_operator(n.op_type)) return false;
  if (n.op_type == "Constant") {
    return m.bad_attribute(n, "value", "is of a kind that is not read");
  }
  if (n.outputs.empty()) return m.error(n, ErrorCode::graph_arity, "no output");
  if (n.op_type == "Shape" || n.op_type == "Size") {
    EDGETWIN_TRY(shape_of(m, n));
    return true;
  }
  std::vector<Numbers> operands;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    if (!n.has_input(i)) continue;
    const Value* v = m.constant(n, i);
    const bool usable =
        v != nullptr && byte_size(v->dtype) != 0 && v->shape.elements() <= kMostElements;
    if (!usable) return false;
    operands.push_back(numbers_of(*v));
  }
  if (operands.empty() || belongs_to_graph(n, operands)) return false;
  if (n.op_type == "ReduceProd" || n.op_type == "ReduceSum") return reduce_all(m, n, operands[0]);
  Status done = n.op_type == "ConstantOfShape"          ? filled(m, n)
                : n.op_type == "Range"                  ? range(m, n, operands)
                : n.op_type == "Cast"                   ? cast(m, n, operands[0])
                : one_of(n.op_type, {"Expand", "Tile"}) ? expand(m, n, operands[0])
                                                        : elementwise(m, n, operands);
  if (!done.ok()) return std::move(done).error();
  return true;
}

}  // namespace edgetwin::onnx
