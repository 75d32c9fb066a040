#include <algorithm>

#include "formats/flatbuffer/fields.h"
#include "formats/tflite/codes.h"
#include "formats/tflite/reader.h"
#include "formats/tflite/tflite.h"
#include "tflite_generated.h"

namespace edgetwin::tflite {
namespace {

// The second union of options is kept apart from the first by this much.
constexpr int kFurtherOptions = 256;

OpKind custom_kind(std::string_view custom_name) {
  if (custom_name == kDetectionPostprocess) return OpKind::detection_postprocess;
  if (custom_name == kPosenetDecoder) return OpKind::posenet_decoder;
  return OpKind::opaque;
}

Result<OpCode> read_op_code(Source& source, const schema::OperatorCode& table, size_t index) {
  OpCode code;
  code.builtin = std::max<int>(table.short_builtin_code(), table.builtin_code());
  code.version = table.version();
  if (code.builtin < 0) {
    return source.error(ErrorCode::bad_value,
                        "operator code " + std::to_string(code.builtin) + " is negative", &table,
                        "OperatorCode " + std::to_string(index));
  }
  if (code.builtin == kBuiltinCustom) {
    if (table.custom_code() != nullptr) code.name = table.custom_code()->str();
    code.kind = custom_kind(code.name);
  } else {
    code.name = builtin_name(code.builtin);
    if (code.name.empty()) code.name = "BUILTIN_" + std::to_string(code.builtin);
    code.kind = op_kind_from_builtin(code.name).value_or(OpKind::opaque);
  }
  EDGETWIN_TRY(source.charge(sizeof(OpCode) + code.name.size(), &table, "OperatorCode"));
  return code;
}

Result<std::vector<ValueId>> read_ids(Source& source, const flatbuffers::Vector<int32_t>* ids,
                                      size_t tensors, bool optional, const std::string& field) {
  std::vector<ValueId> result;
  if (ids == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{ids->size()} * sizeof(ValueId), ids, field));
  result.reserve(ids->size());
  for (const int32_t id : *ids) {
    const bool known = id >= 0 && static_cast<size_t>(id) < tensors;
    if (!known && !(optional && id == kAbsent)) {
      return source.error(ErrorCode::tflite_reference,
                          "tensor " + std::to_string(id) + " of " + std::to_string(tensors), ids,
                          field);
    }
    result.push_back(id);
  }
  return result;
}

Result<Attrs> opaque_options(Source& source, const OpCode& code, const schema::Operator& op,
                             ByteSpan custom) {
  OpaqueAttrs attrs;
  EDGETWIN_TRY(source.charge(code.name.size() + custom.size(), &op, "Operator.custom_options"));
  attrs.name = code.name;
  attrs.builtin_code = code.builtin;
  attrs.options_type = static_cast<int>(op.options_type());
  if (attrs.options_type == 0 && op.further_options_type() != 0) {
    attrs.options_type = kFurtherOptions + op.further_options_type();
  }
  attrs.custom_options = to_bytes(custom);
  return Attrs(std::move(attrs));
}

Result<Attrs> read_attrs(Source& source, const OpCode& code, const schema::Operator& op,
                         const std::string& label) {
  const std::string field = label + " custom_options";
  EDGETWIN_TRY_ASSIGN(const ByteSpan custom, custom_options(source, op, field));
  if (code.kind == OpKind::opaque) return opaque_options(source, code, op, custom);
  if (code.builtin != kBuiltinCustom) return read_options(source, code.kind, op, label);
  EDGETWIN_TRY(source.charge(custom.size(), &op, field));
  const void* at = custom.empty() ? static_cast<const void*>(&op) : custom.data();
  auto attrs = read_custom_options(source, code.kind, custom, at);
  if (!attrs.ok()) attrs.error().place.layer = label;
  return attrs;
}

}  // namespace

Result<ByteSpan> custom_options(const Source& source, const schema::Operator& op,
                                const std::string& field) {
  if (op.custom_options_format() != 0) {
    return source.error(
        ErrorCode::tflite_custom_options,
        "format " + std::to_string(op.custom_options_format()) + ", 0 (FlexBuffer) is known", &op,
        field);
  }
  if (op.large_custom_options_offset() > 1) {
    return source.outside(op.large_custom_options_offset(), op.large_custom_options_size(), &op,
                          field);
  }
  return flatbuffer::bytes_of(op.custom_options());
}

Result<std::vector<OpCode>> read_op_codes(Source& source, const schema::Model& model) {
  std::vector<OpCode> result;
  if (model.operator_codes() == nullptr) return result;
  for (const auto* table : *model.operator_codes()) {
    EDGETWIN_TRY_ASSIGN(OpCode code, read_op_code(source, *table, result.size()));
    result.push_back(std::move(code));
  }
  return result;
}

Result<Op> read_op(Source& source, const std::vector<OpCode>& codes, const schema::Operator& op,
                   size_t index, size_t tensors) {
  const std::string number = "#" + std::to_string(index);
  if (op.opcode_index() >= codes.size()) {
    return source.error(ErrorCode::tflite_reference,
                        "operator code " + std::to_string(op.opcode_index()) + " of " +
                            std::to_string(codes.size()),
                        &op, number + " opcode_index");
  }
  const OpCode& code = codes[op.opcode_index()];
  const std::string label = number + " " + code.name;
  Op result;
  result.kind = code.kind;
  result.version = code.version;
  EDGETWIN_TRY_ASSIGN(result.inputs,
                      read_ids(source, op.inputs(), tensors, true, label + " inputs"));
  EDGETWIN_TRY_ASSIGN(result.outputs,
                      read_ids(source, op.outputs(), tensors, false, label + " outputs"));
  EDGETWIN_TRY_ASSIGN(result.intermediates, read_ids(source, op.intermediates(), tensors, true,
                                                     label + " intermediates"));
  EDGETWIN_TRY_ASSIGN(result.attrs, read_attrs(source, code, op, label));
  return result;
}

}  // namespace edgetwin::tflite
