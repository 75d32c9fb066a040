#include "lut/of_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "lut/sweep.h"

namespace edgetwin::lut {
namespace {

using espdl::Document;
using espdl::Node;
using espdl::TensorData;

constexpr size_t kMaxTables = 100000;

// Types whose 8-bit nodes take their table if they have one.
constexpr std::array<std::string_view, 13> kUsedAt8Bits = {
    "Relu", "PRelu", "Clip",      "Sigmoid", "Tanh", "HardSwish", "HardSigmoid",
    "Elu",  "Exp",   "LeakyRelu", "Swish",   "Log",  "Sqrt"};
// Types that the runtime has a module for, which does not look at a table.
constexpr std::array<std::string_view, 2> kNeverUsed = {"Neg", "Identity"};

template <size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_table_node(const Node& node) { return node.op_type == "LUT" || node.op_type == "Gelu"; }

std::string name_of(const Node& node) {
  if (!node.name.empty() || node.outputs.empty()) return node.name;
  return node.outputs[0];
}

Finding problem(const Node& node, Severity severity, std::string message) {
  Finding f;
  f.severity = severity;
  f.id = std::string(info(ErrorCode::lut_table).id);
  f.place = node.op_type + " '" + name_of(node) + "'";
  f.message = std::move(message);
  return f;
}

// The one exponent of a value or a constant.
std::optional<int> exponent_of(const Document& document, const std::string& name) {
  const std::vector<int64_t>* exponents = nullptr;
  if (const espdl::ValueInfo* value = document.value(name)) exponents = &value->exponents;
  if (const TensorData* data = document.initializer(name)) exponents = &data->exponents;
  if (exponents == nullptr || exponents->size() != 1) return std::nullopt;
  if (std::abs((*exponents)[0]) > kMaxExponent) return std::nullopt;
  return static_cast<int>((*exponents)[0]);
}

std::optional<Tensor> as_tensor(const TensorData& data) {
  const auto type = espdl::dtype_of_code(data.type);
  if (type != DType::int8 && type != DType::int16) return std::nullopt;
  const auto count = checked_elements(data.dims, 65537);
  if (!count || storage_bytes(*type, *count) != static_cast<int64_t>(data.data.size())) {
    return std::nullopt;
  }
  Tensor t;
  t.name = data.name;
  t.dtype = *type;
  t.shape = Shape{*count};
  t.data = data.data;
  return t;
}

// A constant of one element in real numbers.
std::optional<float> scalar(const Document& document, const std::string& name) {
  const TensorData* data = document.initializer(name);
  if (data == nullptr) return std::nullopt;
  const auto type = espdl::dtype_of_code(data->type);
  const auto count = checked_elements(data->dims, 1);
  if (!type || count != 1 || storage_bytes(*type, 1) != static_cast<int64_t>(data->data.size())) {
    return std::nullopt;
  }
  const double value = element_as_double(*type, data->data, 0);
  const int exponent = exponent_of(document, name).value_or(0);
  const bool real = *type == DType::float32 || *type == DType::float64;
  return static_cast<float>(real ? value : std::ldexp(value, exponent));
}

// Parameters of the function: attributes, or the further inputs of Clip and PRelu. False if one of
// them is there and cannot be read.
bool read_parameters(const Document& document, const Node& node, TableSpec& spec) {
  const FunctionInfo& f = info(spec.function);
  if (f.alpha) spec.alpha = node.real("alpha");
  if (f.beta) spec.beta = node.real("beta");
  // A look-up has one input: the parameters are attributes, and PRelu has no usual slope.
  if (node.op_type == "LUT" && node.inputs.size() < 2) {
    return spec.function != Function::prelu || spec.alpha.has_value();
  }
  if (spec.function != Function::clip && spec.function != Function::prelu) return true;
  const auto input = [&](size_t i, std::optional<float>& to) {
    if (node.inputs.size() <= i || node.inputs[i].empty()) return true;
    to = scalar(document, node.inputs[i]);
    return to.has_value();
  };
  if (spec.function == Function::prelu) {
    return node.inputs.size() > 1 && input(1, spec.alpha);
  }
  return input(1, spec.alpha) && input(2, spec.beta);
}

void decide_use(const Node& node, ModelTable& t) {
  const bool runs_8 = t.spec.bits == 8 && contains(kUsedAt8Bits, node.op_type);
  t.used = runs_8 || is_table_node(node);
  if (t.used) {
    t.why = "the runtime takes the table";
  } else if (contains(kUsedAt8Bits, node.op_type)) {
    t.why = "the runtime computes " + node.op_type + " of 16 bits in float and ignores the table";
  } else if (contains(kNeverUsed, node.op_type)) {
    t.why = "the runtime has its own module for " + node.op_type + " and ignores the table";
  } else {
    t.why = "the runtime has no module for " + node.op_type + ": the model does not load";
  }
}

// Function and exponents; the reason in words if the table cannot be compared with its function.
std::string read_spec(const Document& document, const Node& node, ModelTable& t) {
  const auto formula = node.text("lut_formula");
  const auto function = function_from_name(t.original_type);
  if (!formula && !function) return "no function '" + t.original_type + "' is known here";
  if (function) t.spec.function = *function;
  if (formula) {
    const Status read = set_formula(t.spec, *formula);
    if (!read.ok()) return "its formula cannot be read: " + read.error().message;
  }
  if (node.inputs.empty() || node.outputs.empty()) return "the node has no input or no output";
  const auto in = exponent_of(document, node.inputs[0]);
  const auto out = exponent_of(document, node.outputs[0]);
  if (!in || !out) return "input or output has no single exponent within -30 to 30";
  t.spec.in_exponent = *in;
  t.spec.out_exponent = *out;
  if (!formula && !read_parameters(document, node, t.spec))
    return "a parameter is not one constant number";
  return "";
}

Result<ModelTable> read_table(const Document& document, const Node& node, const TensorData& data,
                              numerics::Rounding rounding) {
  ModelTable t;
  t.node = name_of(node);
  t.op_type = node.op_type;
  t.original_type = node.text("original_op_type").value_or(node.op_type);
  t.table_name = data.name;
  std::optional<Tensor> table = as_tensor(data);
  if (!table) {
    return Error(ErrorCode::lut_table,
                 "'" + data.name + "' is no array of int8 or int16 with all its bytes");
  }
  t.table = std::move(*table);
  EDGETWIN_TRY_ASSIGN(const TableForm f, form(t.table));
  t.spec.bits = f.bits;
  t.spec.step = f.step;
  t.spec.rounding = rounding;
  const auto step = node.integer("int16_lut_step");
  if (step && *step >= 1 && *step <= 65536) t.declared_step = static_cast<int>(*step);
  const std::string unknown = read_spec(document, node, t);
  t.known_function = unknown.empty();
  decide_use(node, t);
  if (!t.known_function) t.why += "; not compared: " + unknown;
  if (data.exponents.size() == 1 && std::abs(data.exponents[0]) <= kMaxExponent) {
    t.table.quant = Quant::power_of_two(static_cast<int>(data.exponents[0]));
  }
  return t;
}

void check_exponent(const Document& document, const Node& node, const ModelTable& t,
                    std::vector<Finding>& findings) {
  if (node.outputs.empty() || !t.table.quant.present()) return;
  const int own = t.table.quant.exponent[0];
  const auto out = exponent_of(document, node.outputs[0]);
  if (!out || own == *out) return;
  findings.push_back(problem(node, Severity::error,
                             "the table has exponent " + std::to_string(own) + ", the output " +
                                 std::to_string(*out) + ": the runtime stops at an assertion"));
}

}  // namespace

Result<ModelTables> tables_of(const Document& document, numerics::Rounding rounding) {
  ModelTables result;
  for (const Node& node : document.nodes) {
    const auto name = node.text("lut");
    const TensorData* data = name ? document.initializer(*name) : nullptr;
    if (data == nullptr) {
      if (is_table_node(node)) {
        result.findings.push_back(problem(node, Severity::error,
                                          "the node needs a table and has none: the runtime "
                                          "reads a null pointer"));
      } else if (name) {
        result.findings.push_back(
            problem(node, Severity::warning, "the table '" + *name + "' is not in the model"));
      }
      continue;
    }
    if (result.tables.size() == kMaxTables) {
      return Error(ErrorCode::out_of_memory, "the model has more than 100000 tables");
    }
    Result<ModelTable> table = read_table(document, node, *data, rounding);
    if (!table.ok()) {
      result.findings.push_back(problem(node, Severity::error, table.error().message));
      continue;
    }
    check_exponent(document, node, *table, result.findings);
    result.tables.push_back(std::move(*table));
  }
  return result;
}

}  // namespace edgetwin::lut
