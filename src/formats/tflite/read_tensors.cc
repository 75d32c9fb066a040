#include <algorithm>
#include <cstring>

#include "formats/flatbuffer/fields.h"
#include "formats/tflite/codes.h"
#include "formats/tflite/reader.h"
#include "tensor/tensor.h"
#include "tflite_generated.h"

namespace edgetwin::tflite {
namespace {

std::string label_of(const schema::Tensor& tensor, size_t index) {
  const std::string number = "tensor " + std::to_string(index);
  return tensor.name() == nullptr ? number : number + " '" + tensor.name()->str() + "'";
}

Result<ByteSpan> read_buffer(const Source& source, const schema::Buffer& table, size_t index) {
  const std::string field = "Buffer " + std::to_string(index);
  if (table.offset() > 1) return source.outside(table.offset(), table.size(), &table, field);
  return flatbuffer::bytes_of(table.data());
}

Status read_shape(const Source& source, const schema::Tensor& tensor, const std::string& label,
                  Value& value) {
  const auto* dims = tensor.shape();
  value.has_shape = dims != nullptr;
  if (dims == nullptr) return Ok{};
  if (dims->size() > static_cast<size_t>(Shape::kMaxRank)) {
    return source.error(ErrorCode::tflite_type,
                        std::to_string(dims->size()) + " dimensions, at most " +
                            std::to_string(Shape::kMaxRank) + " are supported",
                        &tensor, label);
  }
  // A size of 0 must not hide others whose product overflows: kernels multiply parts of shapes.
  Shape beside_zeros;
  for (const int32_t dim : *dims) {
    value.shape.push_back(dim);
    beside_zeros.push_back(dim == 0 ? 1 : dim);
  }
  const auto elements = checked_elements(beside_zeros.dims(), kMaxTensorBytes);
  if (elements && storage_bytes(value.dtype, *elements) <= kMaxTensorBytes) return Ok{};
  return source.error(ErrorCode::bad_value,
                      "shape " + to_string(value.shape) + " is negative or has more than " +
                          std::to_string(kMaxTensorBytes) + " bytes",
                      &tensor, label);
}

// A C++ bool must be 0 or 1, and kernels read constants in place.
Status check_booleans(const Source& source, ByteSpan bytes, const std::string& label) {
  const auto bad =
      std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
  if (bad == bytes.end()) return Ok{};
  return source.error(ErrorCode::bad_value,
                      "a truth value is " + std::to_string(static_cast<int>(*bad)), &*bad, label);
}

Status read_content(Source& source, std::vector<Buffer>& buffers, const schema::Tensor& tensor,
                    const std::string& label, Value& value) {
  if (tensor.external_buffer() != 0) {
    return source.error(ErrorCode::tflite_reference, "its bytes are in another file", &tensor,
                        label);
  }
  if (tensor.buffer() >= buffers.size() && tensor.buffer() != 0) {
    return source.error(
        ErrorCode::tflite_reference,
        "buffer " + std::to_string(tensor.buffer()) + " of " + std::to_string(buffers.size()),
        &tensor, label);
  }
  // Buffer 0 means "no data" whatever it holds.
  if (tensor.buffer() == 0 || buffers[tensor.buffer()].bytes.empty()) return Ok{};
  if (value.is_variable) {
    return source.error(ErrorCode::bad_value, "a variable that starts with content", &tensor,
                        label);
  }
  Buffer& buffer = buffers[tensor.buffer()];
  value.has_shape = true;  // of a constant, an absent shape can only mean a scalar
  const int64_t wanted = storage_bytes(value.dtype, value.shape.elements());
  if (bits(value.dtype) != 0 && wanted != static_cast<int64_t>(buffer.bytes.size())) {
    return source
        .error(
            ErrorCode::tflite_size,
            std::to_string(buffer.bytes.size()) + " bytes, " + std::to_string(wanted) + " expected",
            &tensor, label)
        .detail(to_string(value.shape) + " elements of " + std::string(name(value.dtype)) + ", " +
                std::to_string(bits(value.dtype)) + " bits each");
  }
  if (value.dtype == DType::boolean) EDGETWIN_TRY(check_booleans(source, buffer.bytes, label));
  if (buffer.constant == nullptr) {
    EDGETWIN_TRY(source.charge(buffer.bytes.size(), &tensor, label));
    buffer.constant = std::make_shared<const Bytes>(to_bytes(buffer.bytes));
  }
  value.constant = buffer.constant;
  return Ok{};
}

// A file gives a zero point for each scale, one for all, or none.
Status read_zero_points(const Source& source, const schema::Quantization& table,
                        const std::string& label, Quant& quant) {
  const auto* zero_points = table.zero_point();
  const size_t found = zero_points == nullptr ? 0 : zero_points->size();
  quant.zero_point.assign(quant.scale.size(), 0);
  if (found == 0) return Ok{};
  if (found != 1 && found != quant.scale.size()) {
    return source.error(ErrorCode::graph_quant,
                        std::to_string(quant.scale.size()) + " scales with " +
                            std::to_string(found) + " zero points",
                        &table, label);
  }
  // The elements may stand at any multiple of four, so they are copied rather than read in place.
  for (size_t i = 0; i < quant.scale.size(); ++i) {
    const size_t from = found == 1 ? 0 : i;
    std::memcpy(&quant.zero_point[i], zero_points->Data() + from * sizeof(int64_t),
                sizeof(int64_t));
  }
  return Ok{};
}

Status read_quant(Source& source, const schema::Quantization* table, const std::string& label,
                  Value& value) {
  if (table == nullptr) return Ok{};
  using schema::QuantizationDetails;
  if (table->details_type() == QuantizationDetails::CustomQuantization) {
    source.find(Severity::note, label, "its custom quantization was ignored");
  } else if (table->details_type() != QuantizationDetails::NONE) {
    return source.error(ErrorCode::tflite_type,
                        "it is quantized in blocks or along several axes, which is not supported",
                        table, label);
  }
  const auto* scales = table->scale();
  if (scales == nullptr || scales->size() == 0) return Ok{};
  EDGETWIN_TRY(
      source.charge(uint64_t{scales->size()} * (sizeof(float) + sizeof(int64_t)), table, label));
  Quant& quant = value.quant;
  quant.scheme = Quant::Scheme::affine;
  quant.scale.assign(scales->begin(), scales->end());
  if (quant.per_channel()) quant.axis = table->quantized_dimension();
  return read_zero_points(source, *table, label, quant);
}

}  // namespace

Result<std::vector<Buffer>> read_buffers(Source& source, const schema::Model& model) {
  std::vector<Buffer> result;
  const auto* tables = model.buffers();
  if (tables == nullptr) return result;
  EDGETWIN_TRY(source.charge(uint64_t{tables->size()} * sizeof(Buffer), tables, "Model.buffers"));
  result.reserve(tables->size());
  for (const auto* table : *tables) {
    EDGETWIN_TRY_ASSIGN(const ByteSpan bytes, read_buffer(source, *table, result.size()));
    result.push_back({bytes, nullptr});
  }
  return result;
}

Result<Value> read_tensor(Source& source, std::vector<Buffer>& buffers,
                          const schema::Tensor& tensor, size_t index) {
  Value value;
  EDGETWIN_TRY_ASSIGN(value.name, flatbuffer::read_text(source, tensor.name(), "Tensor.name"));
  const std::string label = label_of(tensor, index);
  const int code = static_cast<int>(tensor.type());
  const auto type = dtype_from_code(code);
  if (!type) {
    return source.error(ErrorCode::tflite_type, "type code " + std::to_string(code) + " is unknown",
                        &tensor, label);
  }
  if (tensor.sparsity() != nullptr) {
    return source.error(ErrorCode::tflite_type, "it is stored sparsely, which is not supported",
                        &tensor, label);
  }
  value.dtype = *type;
  value.is_variable = tensor.is_variable();
  EDGETWIN_TRY(read_shape(source, tensor, label, value));
  EDGETWIN_TRY(read_quant(source, tensor.quantization(), label, value));
  EDGETWIN_TRY(read_content(source, buffers, tensor, label, value));
  return value;
}

}  // namespace edgetwin::tflite
