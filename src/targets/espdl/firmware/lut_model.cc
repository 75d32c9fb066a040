#include "targets/espdl/firmware/lut_model.h"

#include <bit>

#include "formats/espdl/write/write.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Attribute;
using edgetwin::espdl::AttributeType;
using edgetwin::espdl::DataType;
using edgetwin::espdl::Document;
using edgetwin::espdl::Node;
using edgetwin::espdl::TensorData;
using edgetwin::espdl::ValueInfo;

constexpr int64_t kMaxElements = 65536;
// Scales are formed by shifting a 32-bit one.
constexpr int kMaxExponent = 30;

Error refused(std::string what) { return Error(ErrorCode::firmware_case, std::move(what)); }

// The step that the runtime derives from the number of entries; 0 where there is none.
int64_t step_of(const Tensor& table) {
  const int64_t count = table.shape.elements();
  if (table.dtype == DType::int8) return count == 256 ? 1 : 0;
  if (table.dtype != DType::int16) return 0;
  if (count == 65536) return 1;
  if (count < 3 || !std::has_single_bit(static_cast<uint64_t>(count - 1)) || count > 65537)
    return 0;
  return 65536 / (count - 1);
}

Status check(const LutModel& wanted) {
  if (wanted.table.shape.rank() != 1 || step_of(wanted.table) == 0 ||
      static_cast<int64_t>(wanted.table.data.size()) !=
          storage_bytes(wanted.table.dtype, wanted.table.shape.elements())) {
    return refused("a table of type " + std::string(name(wanted.table.dtype)) + " and shape " +
                   to_string(wanted.table.shape) + " is none that the chip can look up");
  }
  if (wanted.elements < 1 || wanted.elements > kMaxElements) {
    return refused("a run takes 1 to 65,536 elements, not " + std::to_string(wanted.elements));
  }
  for (const int exponent : {wanted.input_exponent, wanted.output_exponent}) {
    if (exponent < -kMaxExponent || exponent > kMaxExponent) {
      return refused("exponent " + std::to_string(exponent) + " is not within -30 and 30");
    }
  }
  return Ok{};
}

Attribute text_attribute(std::string name, std::string value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = AttributeType::string;
  attribute.s = std::move(value);
  return attribute;
}

ValueInfo value(const LutModel& wanted, std::string name, DataType type, int exponent) {
  ValueInfo info;
  info.name = std::move(name);
  info.type = type;
  info.has_shape = true;
  info.shape = {1, wanted.elements};
  info.exponents = {exponent};
  return info;
}

// Attributes are sorted by name, as the exporter sorts them.
Node lut_node(const LutModel& wanted, const std::string& table) {
  Node node;
  node.name = "lut";
  node.op_type = "LUT";
  node.inputs = {"input"};
  node.outputs = {"output"};
  const bool wide = wanted.table.dtype == DType::int16;
  if (wide) {
    Attribute step;
    step.name = "int16_lut_step";
    step.type = AttributeType::int_value;
    step.i = step_of(wanted.table);
    node.attributes.push_back(std::move(step));
  }
  node.attributes.push_back(text_attribute("lut", table));
  if (!wanted.original_type.empty()) {
    node.attributes.push_back(text_attribute("original_op_type", wanted.original_type));
  }
  node.attributes.push_back(text_attribute("quant_type", wide ? "S16" : "S8"));
  return node;
}

}  // namespace

Result<Document> make_lut_model(const LutModel& wanted) {
  EDGETWIN_TRY(check(wanted));
  const DataType type = wanted.table.dtype == DType::int16 ? DataType::int16 : DataType::int8;
  TensorData table;
  table.name = "LUT_lut_0";
  table.type = type;
  table.dims = {wanted.table.shape[0]};
  table.exponents = {wanted.output_exponent};
  table.data = wanted.table.data;

  Document document;
  document.ir_version = 8;
  document.graph_name = "lut";
  if (!wanted.target.empty()) document.metadata.push_back({"target", wanted.target});
  document.nodes.push_back(lut_node(wanted, table.name));
  document.initializers.push_back(std::move(table));
  document.inputs.push_back(value(wanted, "input", type, wanted.input_exponent));
  document.outputs.push_back(value(wanted, "output", type, wanted.output_exponent));
  document.values = {document.inputs[0], document.outputs[0]};
  return document;
}

Result<FirmwareCase> make_sweep_case(std::string name, const LutModel& wanted,
                                     const Tensor& results) {
  const int64_t values = wanted.table.dtype == DType::int16 ? 65536 : 256;
  if (results.dtype != wanted.table.dtype || results.shape.elements() != values ||
      static_cast<int64_t>(results.data.size()) != storage_bytes(results.dtype, values)) {
    return refused("case '" + name + "': a sweep has " + std::to_string(values) +
                   " results of the table's type");
  }
  edgetwin::espdl::ModelFile model;
  EDGETWIN_TRY_ASSIGN(model.document, make_lut_model(wanted));
  FirmwareCase one;
  one.name = std::move(name);
  one.lut_sweep = true;
  EDGETWIN_TRY_ASSIGN(one.model_file,
                      edgetwin::espdl::write(edgetwin::espdl::single(std::move(model))));
  Tensor input;
  input.name = "input";
  input.dtype = wanted.table.dtype;
  input.shape = Shape{1, wanted.elements};
  input.quant = Quant::power_of_two(wanted.input_exponent);
  one.inputs.push_back(std::move(input));
  one.outputs.push_back(results);
  one.outputs[0].name = "output";
  one.outputs[0].quant = Quant::power_of_two(wanted.output_exponent);
  return one;
}

}  // namespace edgetwin::targets::espdl
