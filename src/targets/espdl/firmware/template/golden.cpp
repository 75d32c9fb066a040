#include "golden.hpp"

#include <cmath>
#include <cstring>

namespace check {
namespace {

using edgetwin_golden::Header;
using edgetwin_golden::Record;

template <class T>
int64_t as(const void* data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(data) + index * sizeof(T), sizeof(T));
  return static_cast<int64_t>(value);
}

bool within(uint32_t offset, uint32_t bytes, size_t size) {
  return offset <= size && bytes <= size - offset;
}

bool read_record(const uint8_t* blob, size_t size, uint32_t index, GoldenTensor& tensor) {
  Record record;
  std::memcpy(&record, blob + sizeof(Header) + index * sizeof(Record), sizeof(record));
  if (edgetwin_golden::element_size(record.dtype) == 0) return false;
  if (record.rank > edgetwin_golden::kMaxRank) return false;
  if (!within(record.name_offset, record.name_length, size)) return false;
  tensor.name.assign(reinterpret_cast<const char*>(blob) + record.name_offset, record.name_length);
  tensor.dtype = record.dtype;
  tensor.exponent = record.exponent;
  for (uint32_t i = 0; i < record.rank; ++i) {
    tensor.shape.push_back(static_cast<int>(record.dims[i]));
  }
  tensor.bytes = record.data_size;
  tensor.crc32 = record.data_crc32;
  if (record.storage != edgetwin_golden::kRaw) return true;
  if (record.data_offset % edgetwin_golden::kAlignment != 0) return false;
  if (!within(record.data_offset, record.data_size, size)) return false;
  tensor.data = blob + record.data_offset;
  return true;
}

}  // namespace

std::string open_golden(const uint8_t* data, size_t size, Golden& golden) {
  Header& header = golden.header;
  if (size < sizeof(header)) return "golden-truncated";
  std::memcpy(&header, data, sizeof(header));
  if (std::memcmp(header.magic, edgetwin_golden::kMagic, sizeof(header.magic)) != 0) {
    return "golden-magic";
  }
  if (header.version != edgetwin_golden::kVersion) return "golden-version";
  if (header.size != size) return "golden-size";
  if (edgetwin_golden::crc32(data + sizeof(header), size - sizeof(header)) != header.crc32) {
    return "golden-crc";
  }
  const uint64_t records = uint64_t{header.inputs} + header.outputs + header.nodes;
  if (records > (size - sizeof(header)) / sizeof(Record)) return "golden-counts";
  for (uint32_t i = 0; i < records; ++i) {
    GoldenTensor tensor;
    if (!read_record(data, size, i, tensor)) return "golden-record";
    std::vector<GoldenTensor>& list = i < header.inputs                    ? golden.inputs
                                      : i < header.inputs + header.outputs ? golden.outputs
                                                                           : golden.nodes;
    list.push_back(tensor);
  }
  return "";
}

int64_t element(uint8_t dtype, const void* data, size_t index) {
  switch (dtype) {
    case 3:
      return as<int8_t>(data, index);
    case 4:
      return as<uint16_t>(data, index);
    case 5:
      return as<int16_t>(data, index);
    case 1:  // float32: equal bits are asked for
    case 6:
      return as<int32_t>(data, index);
    case 12:
      return as<uint32_t>(data, index);
    case 7:
      return as<int64_t>(data, index);
    default:
      return as<uint8_t>(data, index);
  }
}

int64_t millionths(const void* data, size_t index) {
  float value;
  std::memcpy(&value, static_cast<const uint8_t*>(data) + index * sizeof(value), sizeof(value));
  return std::lround(value * 1e6F);
}

}  // namespace check
