#include <algorithm>
#include <cstring>
#include <limits>

#include "espdl_generated.h"
#include "formats/espdl/read/reader.h"
#include "formats/flatbuffer/fields.h"
#include "tensor/shape.h"

namespace edgetwin::espdl {
namespace {

constexpr size_t kBlock = 16;

// What the parts of one tensor share.
struct Place {
  Source& source;
  const schema::Tensor& table;
  std::string label;  // "Graph.initializer 'weight'"

  Error error(ErrorCode code, std::string message, const char* field) const {
    return source.error(code, std::move(message), &table, label + " Tensor." + field);
  }
};

Result<size_t> checked_size(const Place& place, const TensorData& tensor, DType dtype) {
  if (tensor.dims.size() > kMaxRank) {
    return place.error(ErrorCode::espdl_content,
                       std::to_string(tensor.dims.size()) + " dimensions, at most " +
                           std::to_string(kMaxRank) + " are read",
                       "dims");
  }
  const auto limit = static_cast<int64_t>(kMaxTensorBytes / byte_size(dtype));
  const auto elements = checked_elements(tensor.dims, limit);
  if (elements) return static_cast<size_t>(*elements) * byte_size(dtype);
  return place.error(
      ErrorCode::bad_value,
      "a size is negative, or there are more than " + std::to_string(limit) + " elements", "dims");
}

void find_strange_padding(const Place& place, size_t size) {
  const auto& raw = *place.table.raw_data();
  const size_t stored = size_t{raw.size()} * kBlock;
  if (stored - size >= kBlock) {
    place.source.find(Severity::note, place.label,
                      std::to_string(stored - size) + " bytes stand after its " +
                          std::to_string(size) + " bytes of elements; they are not kept");
  } else if (std::any_of(raw.Data() + size, raw.Data() + stored,
                         [](uint8_t b) { return b != 0; })) {
    place.source.find(Severity::note, place.label,
                      "the bytes that fill up its last 16 are not zero; they are not kept");
  }
  if (raw.size() != 0 && place.source.base() % kBlock == 0 &&
      place.source.offset_of(raw.Data()) % kBlock != 0) {
    place.source.find(
        Severity::warning, place.label,
        "its elements do not begin at a multiple of 16 bytes, as the device's vector loads "
        "need it",
        "Write the file again.");
  }
}

Result<Bytes> raw_elements(const Place& place, size_t size) {
  const auto& raw = *place.table.raw_data();
  const size_t stored = size_t{raw.size()} * kBlock;
  if (stored < size) {
    return place.error(ErrorCode::espdl_size,
                       "the shape asks for " + std::to_string(size) + " bytes, " +
                           std::to_string(stored) + " are stored",
                       "raw_data");
  }
  EDGETWIN_TRY(place.source.charge(size, &place.table, place.label));
  find_strange_padding(place, size);
  const auto* bytes = reinterpret_cast<const std::byte*>(raw.Data());
  return Bytes(bytes, bytes + size);
}

// Numbers in a vector of their own or a wider type. To: the element; From: the vector's.
template <class To, class From>
Result<Bytes> listed_elements(const Place& place, const flatbuffers::Vector<From>* values,
                              size_t size, const char* field) {
  EDGETWIN_TRY_ASSIGN(const std::vector<From> read,
                      flatbuffer::read_numbers<From>(place.source, values, place.label));
  if (read.size() != size / sizeof(To)) {
    return place.error(ErrorCode::espdl_size,
                       "the shape asks for " + std::to_string(size / sizeof(To)) + " elements, " +
                           std::to_string(read.size()) + " are stored",
                       field);
  }
  EDGETWIN_TRY(place.source.charge(size, &place.table, place.label));
  Bytes result(size);
  for (size_t i = 0; i < read.size(); ++i) {
    const auto element = static_cast<To>(read[i]);
    if constexpr (!std::is_same_v<To, From>) {
      if (static_cast<From>(element) != read[i]) {
        return place.error(ErrorCode::bad_value,
                           "element " + std::to_string(i) + " is " + std::to_string(read[i]) +
                               ", which its type cannot hold",
                           field);
      }
    }
    std::memcpy(result.data() + i * sizeof(To), &element, sizeof(To));
  }
  return result;
}

Result<Bytes> elements(const Place& place, DataType type, size_t size) {
  const schema::Tensor& t = place.table;
  if (t.raw_data() != nullptr) return raw_elements(place, size);
  if (size == 0) return Bytes();
  switch (type) {
    case DataType::float32:
      return listed_elements<float>(place, t.float_data(), size, "float_data");
    case DataType::boolean:
    case DataType::uint8:
      return listed_elements<uint8_t>(place, t.int32_data(), size, "int32_data");
    case DataType::int8:
      return listed_elements<int8_t>(place, t.int32_data(), size, "int32_data");
    case DataType::uint16:
      return listed_elements<uint16_t>(place, t.int32_data(), size, "int32_data");
    case DataType::int16:
      return listed_elements<int16_t>(place, t.int32_data(), size, "int32_data");
    case DataType::int32:
      return listed_elements<int32_t>(place, t.int32_data(), size, "int32_data");
    case DataType::int64:
      return listed_elements<int64_t>(place, t.int64_data(), size, "int64_data");
    case DataType::float64:
      return listed_elements<double>(place, t.double_data(), size, "double_data");
    case DataType::uint32:
      return listed_elements<uint32_t>(place, t.uint64_data(), size, "uint64_data");
    case DataType::uint64:
      return listed_elements<uint64_t>(place, t.uint64_data(), size, "uint64_data");
    default:
      return place.error(
          ErrorCode::espdl_size,
          std::string("no bytes are stored for its elements of type ") + std::string(name(type)),
          "raw_data");
  }
}

Status check_truth_values(const Place& place, const TensorData& tensor) {
  if (tensor.type != DataType::boolean) return Ok{};
  for (const std::byte b : tensor.data) {
    if (b > std::byte{1}) {
      return place.error(ErrorCode::bad_value,
                         "a truth value is " + std::to_string(std::to_integer<int>(b)), "raw_data");
    }
  }
  return Ok{};
}

}  // namespace

Result<TensorData> read_tensor(Source& source, const schema::Tensor& table,
                               const std::string& list) {
  TensorData tensor;
  EDGETWIN_TRY_ASSIGN(tensor.name, flatbuffer::read_text(source, table.name(), list));
  const Place place{source, table, quoted(list, tensor.name)};
  EDGETWIN_TRY_ASSIGN(tensor.doc_string,
                      flatbuffer::read_text(source, table.doc_string(), place.label));
  EDGETWIN_TRY_ASSIGN(tensor.dims,
                      flatbuffer::read_numbers<int64_t>(source, table.dims(), place.label));
  EDGETWIN_TRY_ASSIGN(tensor.exponents,
                      flatbuffer::read_numbers<int64_t>(source, table.exponents(), place.label));
  tensor.type = static_cast<DataType>(table.data_type());
  const auto dtype = dtype_of_code(tensor.type);
  if (!dtype) {
    return place.error(ErrorCode::espdl_content,
                       "elements of type " + std::to_string(static_cast<int>(tensor.type)) + " (" +
                           std::string(name(tensor.type)) + ")",
                       "data_type");
  }
  const bool elsewhere = table.external_data() != nullptr && table.external_data()->size() != 0;
  if (table.data_location() != schema::DataLocation::DEFAULT || elsewhere) {
    return place.error(ErrorCode::espdl_content, "its elements are in another file",
                       "data_location");
  }
  EDGETWIN_TRY_ASSIGN(const size_t size, checked_size(place, tensor, *dtype));
  EDGETWIN_TRY_ASSIGN(tensor.data, elements(place, tensor.type, size));
  EDGETWIN_TRY(check_truth_values(place, tensor));
  return tensor;
}

}  // namespace edgetwin::espdl
