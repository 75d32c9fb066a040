// Rules of single operators that any operator can break: type, attributes, kinds of inputs.
#include "formats/espdl/document/operators.h"
#include "targets/espdl/check/checker.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Attribute;
using edgetwin::espdl::AttributeType;

struct NeededRow {
  std::string_view op;
  std::initializer_list<std::string_view> attributes;
};

// Specification "Operators", 1: read without a check.
const NeededRow kNeeded[] = {
    {"Concat", {"axis"}},
    {"Gather", {"axis"}},
    {"Split", {"axis"}},
    {"Softmax", {"axis"}},
    {"Reshape", {"allowzero"}},
    {"DepthToSpace", {"blocksize", "mode"}},
    {"SpaceToDepth", {"blocksize"}},
    {"Conv", {"strides", "kernel_shape", "group", "dilations", "pads"}},
    {"AveragePool", {"strides", "kernel_shape", "pads"}},
    {"MaxPool", {"strides", "kernel_shape", "pads"}},
    {"Transpose", {"perm"}},
};

// Without them an operator has no meaning at all.
bool essential(const Subject& s, std::string_view attribute) {
  return attribute == "perm" || attribute == "blocksize" || attribute == "quant_type" ||
         (attribute == "kernel_shape" && !s.is("Conv")) || (attribute == "axis" && s.is("Concat"));
}

// Shipped files lack these and run: the weights say the one, and 0 in a shape is rare.
bool usually_harmless(const Subject& s, std::string_view attribute) {
  return (attribute == "kernel_shape" && s.is("Conv")) || attribute == "allowzero";
}

void missing(const Subject& s, std::string_view attribute) {
  const auto severity = essential(s, attribute)          ? Severity::error
                        : usually_harmless(s, attribute) ? Severity::note
                                                         : Severity::warning;
  s.say(Rule::attribute_missing, severity,
        "the attribute " + std::string(attribute) + " is missing",
        "Export the model again with a current exporter, which writes it.");
}

std::string_view wanted_type(const Subject& s) {
  if (s.s8()) return "INT8";
  return s.s16() ? "INT16" : "FLOAT";
}

// How many inputs carry data of the operator's own type; the others are parameters and indices.
size_t data_inputs(const Subject& s) {
  if (s.is("Concat")) return s.node.inputs.size();
  if (s.any_of({"Add", "Sub", "Mul", "Div", "Pow", "Mod", "Equal", "Greater", "GreaterOrEqual",
                "Less", "LessOrEqual", "Conv", "Gemm", "MatMul", "PRelu"})) {
    return 2;
  }
  return 1;
}

bool converts(const Subject& s) {
  return s.any_of({"QuantizeLinear", "DequantizeLinear", "RequantizeLinear", "Identity"});
}

void check_one_type(const Subject& s, std::string_view tensor, const char* what) {
  const auto type = s.c.type(tensor);
  if (!type) return;
  const bool numeric =
      type == DataType::int8 || type == DataType::int16 || type == DataType::float32;
  if (!numeric || name(*type) == wanted_type(s)) return;
  s.say(Rule::quant_type_mismatch,
        std::string(what) + " " + in_quotes(tensor) + " is " + std::string(name(*type)) +
            ", quant_type " + s.word("quant_type", "") + " means " + std::string(wanted_type(s)),
        "Put a RequantizeLinear, QuantizeLinear or DequantizeLinear between.");
}

void check_conversion(const Subject& s) {
  for (const auto& [tensor, what] : {std::pair{s.in(0), "input"}, std::pair{s.out(), "output"}}) {
    const auto type = s.c.type(tensor);
    if (!type || type == DataType::int8 || type == DataType::int16 || type == DataType::float32 ||
        type == DataType::float64) {
      continue;
    }
    s.say(Rule::assignment_type, std::string(what) + " " + in_quotes(tensor) + " is " +
                                     std::string(name(*type)) +
                                     "; INT8, INT16 and FLOAT are converted");
  }
}

}  // namespace

void check_attributes(const Subject& s) {
  if (!edgetwin::espdl::is_operator(s.node.op_type)) {
    s.say(
        Rule::unknown_operator, "the runtime has no operator " + in_quotes(s.node.op_type),
        "Replace it by operators that the runtime has before the export; constants can be folded.");
    return;
  }
  if (s.node.find("quant_type") == nullptr) missing(s, "quant_type");
  for (const NeededRow& row : kNeeded) {
    if (row.op != s.node.op_type) continue;
    for (const std::string_view attribute : row.attributes) {
      if (s.node.find(attribute) == nullptr) missing(s, attribute);
    }
  }
  for (const Attribute& a : s.node.attributes) {
    if (a.type != AttributeType::floats) continue;
    s.say(Rule::float_list, "the attribute " + in_quotes(a.name) + " is a list of " +
                                std::to_string(a.floats.size()) + " floats");
  }
}

void check_types(const Subject& s) {
  const auto text = s.node.text("quant_type");
  if (!text || !edgetwin::espdl::is_operator(s.node.op_type)) return;
  if (!s.quantized() && text != "F32") {
    s.say(Rule::quant_type_unknown,
          "quant_type is " + in_quotes(*text) + "; S8, S16 and F32 are known");
    return;
  }
  if (s.any_of({"QuantizeLinear", "DequantizeLinear", "RequantizeLinear"})) check_conversion(s);
  if (!s.quantized() &&
      s.any_of({"Conv", "Gemm", "MatMul", "MaxPool", "Equal", "Greater", "GreaterOrEqual", "Less",
                "LessOrEqual", "ReverseSequence", "Resize"})) {
    s.say(Rule::no_float, "quant_type is F32; " + s.node.op_type + " has integer kernels only",
          "Quantize this operator to INT8 or INT16.");
  }
  if (s.is("Resize") && s.s16()) {
    s.say(Rule::resize_int16, "quant_type is S16; the INT16 kernel is empty",
          "Quantize this operator to INT8.");
  }
  if (converts(s)) return;
  const bool recurrent = s.any_of({"GRU", "LSTM"});
  for (size_t i = 0; i < data_inputs(s); ++i) check_one_type(s, s.in(i), "input");
  const bool other_output = s.any_of({"Softmax", "LogSoftmax"});
  const size_t outputs = recurrent || s.is("LayerNormalization") ? 1 : s.node.outputs.size();
  for (size_t i = 0; i < outputs && !other_output; ++i) check_one_type(s, s.out(i), "output");
}

void check_parameters(const Subject& s) {
  struct Row {
    std::string_view op;
    size_t input;
    const char* what;
  };
  static constexpr Row kRows[] = {
      {"Reshape", 1, "the shape"},    {"Squeeze", 1, "the axes"},  {"Unsqueeze", 1, "the axes"},
      {"Gather", 1, "the indices"},   {"Pad", 1, "the pads"},      {"Pad", 2, "the constant"},
      {"Split", 1, "the lengths"},    {"Slice", 1, "the starts"},  {"Slice", 2, "the ends"},
      {"Slice", 3, "the axes"},       {"Slice", 4, "the steps"},   {"Clip", 1, "the lower bound"},
      {"Clip", 2, "the upper bound"}, {"Resize", 2, "the scales"}, {"Resize", 3, "the sizes"},
      {"Conv", 1, "the weights"},     {"Conv", 2, "the bias"},     {"Gemm", 1, "the weights"},
      {"Gemm", 2, "the bias"},
  };
  for (const Row& row : kRows) {
    const std::string_view tensor = s.in(row.input);
    if (row.op != s.node.op_type || tensor.empty() || s.c.constant(tensor) != nullptr) continue;
    s.say(Rule::computed_parameter,
          std::string(row.what) + ", input " + std::to_string(row.input) + " " + in_quotes(tensor) +
              ": computed by the network, must be an initializer",
          "Fold it into an initializer before the export.");
  }
  const bool reduces = s.node.op_type.starts_with("Reduce");
  if (reduces && !s.in(1).empty() && s.c.constant(s.in(1)) == nullptr) {
    s.say(Rule::computed_parameter,
          "the axes, input 1 " + in_quotes(s.in(1)) + ": computed, must be an initializer");
  }
}

}  // namespace edgetwin::targets::espdl
