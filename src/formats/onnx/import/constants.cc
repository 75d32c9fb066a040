// Small computations on constants.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/onnx/import/constant_numbers.h"
#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

constexpr std::string_view kTypes[] = {
#define CONSTANT(type) #type,
#include "formats/onnx/import/constants.def"
#undef CONSTANT
};

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
    EDGETWIN_TRY(constant_size(m, n));
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
  Status done = n.op_type == "ConstantOfShape"          ? constant_fill(m, n)
                : n.op_type == "Range"                  ? constant_range(m, n, operands)
                : n.op_type == "Cast"                   ? constant_cast(m, n, operands[0])
                : one_of(n.op_type, {"Expand", "Tile"}) ? constant_expand(m, n, operands[0])
                                                        : elementwise(m, n, operands);
  if (!done.ok()) return std::move(done).error();
  return true;
}

}  // namespace edgetwin::onnx
