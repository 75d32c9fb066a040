#include "targets/espdl/firmware/golden.h"

#include <set>

#include "targets/espdl/firmware/golden_format.h"

namespace edgetwin::targets::espdl {
namespace {

namespace format = edgetwin_golden;

// The flash of no module comes near; offsets are 32 bits wide.
constexpr uint64_t kMaxBlobBytes = uint64_t{1} << 28;
constexpr size_t kMaxTensors = 100'000;
constexpr size_t kMaxName = 1024;

// The number of a type in .espdl files; 0 for those that a blob does not hold.
uint8_t code_of(DType type) {
  switch (type) {
    case DType::float32:
      return 1;
    case DType::uint8:
      return 2;
    case DType::int8:
      return 3;
    case DType::uint16:
      return 4;
    case DType::int16:
      return 5;
    case DType::int32:
      return 6;
    case DType::int64:
      return 7;
    case DType::boolean:
      return 9;
    case DType::uint32:
      return 12;
    default:
      return 0;
  }
}

Error refused(const FirmwareCase& wanted, std::string what, const std::string& tensor = {}) {
  return Error(ErrorCode::firmware_case, "case '" + wanted.name + "': " + std::move(what))
      .in_field(tensor);
}

Status check_tensor(const FirmwareCase& wanted, const FirmwareTensor& tensor, bool bytes_used) {
  if (tensor.name.empty() || tensor.name.size() > kMaxName) {
    return refused(wanted, "a tensor has no name or one of more than 1024 bytes", tensor.name);
  }
  if (code_of(tensor.dtype) == 0) {
    return refused(wanted, "type " + std::string(name(tensor.dtype)) + " cannot be compared there",
                   tensor.name);
  }
  if (tensor.quant.scheme == Quant::Scheme::affine || tensor.quant.exponent.size() > 1) {
    return refused(wanted, "the quantization is not one exponent", tensor.name);
  }
  if (!bytes_used) return Ok{};
  if (!within_limits(tensor.dtype, tensor.shape) ||
      storage_bytes(tensor.dtype, tensor.shape.elements()) !=
          static_cast<int64_t>(tensor.data.size()) ||
      tensor.data.empty()) {
    return refused(wanted,
                   "shape " + to_string(tensor.shape) + " and " +
                       std::to_string(tensor.data.size()) + " bytes do not fit together",
                   tensor.name);
  }
  return Ok{};
}

Status check_names(const FirmwareCase& wanted, const std::vector<FirmwareTensor>& tensors,
                   bool bytes_used) {
  std::set<std::string> seen;
  for (const FirmwareTensor& tensor : tensors) {
    EDGETWIN_TRY(check_tensor(wanted, tensor, bytes_used));
    if (!seen.insert(tensor.name).second) {
      return refused(wanted, "two tensors have the same name", tensor.name);
    }
  }
  return Ok{};
}

Status check_sweep(const FirmwareCase& wanted) {
  if (wanted.inputs.size() != 1 || wanted.outputs.size() != 1) {
    return refused(wanted, "a sweep needs one input and one output");
  }
  const DType type = wanted.inputs[0].dtype;
  if (type != DType::int8 && type != DType::int16) {
    return refused(wanted, "a sweep needs an int8 or int16 input", wanted.inputs[0].name);
  }
  const int64_t values = type == DType::int8 ? 256 : 65536;
  const int64_t have = wanted.outputs[0].shape.elements();
  if (have != values) {
    return refused(
        wanted,
        "a sweep has " + std::to_string(values) + " results, here are " + std::to_string(have),
        wanted.outputs[0].name);
  }
  return Ok{};
}

Status check(const FirmwareCase& wanted) {
  if (wanted.inputs.empty() || wanted.outputs.empty()) {
    return refused(wanted, "there is no input or no output");
  }
  if (wanted.inputs.size() + wanted.outputs.size() + wanted.nodes.size() > kMaxTensors) {
    return refused(wanted, "more than 100,000 tensors");
  }
  EDGETWIN_TRY(check_names(wanted, wanted.inputs, !wanted.lut_sweep));
  EDGETWIN_TRY(check_names(wanted, wanted.outputs, true));
  EDGETWIN_TRY(check_names(wanted, wanted.nodes, true));
  if (wanted.lut_sweep) EDGETWIN_TRY(check_sweep(wanted));
  return Ok{};
}

format::Record record_of(const FirmwareTensor& tensor) {
  format::Record record = {};
  record.name_length = static_cast<uint16_t>(tensor.name.size());
  record.dtype = code_of(tensor.dtype);
  record.storage = format::kDigest;
  record.exponent = tensor.quant.exponent.empty() ? 0 : tensor.quant.exponent[0];
  record.rank = static_cast<uint32_t>(tensor.shape.rank());
  for (int i = 0; i < tensor.shape.rank(); ++i) {
    record.dims[i] = static_cast<uint32_t>(tensor.shape[i]);
  }
  record.data_size = static_cast<uint32_t>(tensor.data.size());
  record.data_crc32 = format::crc32(tensor.data.data(), tensor.data.size());
  return record;
}

struct Entry {
  const FirmwareTensor* tensor;
  format::Record record;
};

uint64_t aligned(uint64_t offset) {
  return (offset + format::kAlignment - 1) / format::kAlignment * format::kAlignment;
}

// All tensors in the blob's order; which of them are stored whole is decided here.
std::vector<Entry> entries_of(const FirmwareCase& wanted, uint64_t& node_budget) {
  std::vector<Entry> entries;
  for (const FirmwareTensor& tensor : wanted.inputs) {
    entries.push_back({&tensor, record_of(tensor)});
    if (!wanted.lut_sweep) entries.back().record.storage = format::kRaw;
    if (wanted.lut_sweep) entries.back().record.data_size = 0;
  }
  for (const FirmwareTensor& tensor : wanted.outputs) {
    entries.push_back({&tensor, record_of(tensor)});
    entries.back().record.storage = format::kRaw;
  }
  for (const FirmwareTensor& tensor : wanted.nodes) {
    entries.push_back({&tensor, record_of(tensor)});
    if (tensor.data.size() > node_budget) continue;
    node_budget -= tensor.data.size();
    entries.back().record.storage = format::kRaw;
  }
  return entries;
}

// Gives every name and every stored tensor its place; returns the size of the blob.
uint64_t place(std::vector<Entry>& entries) {
  uint64_t at = sizeof(format::Header) + entries.size() * sizeof(format::Record);
  for (Entry& entry : entries) {
    entry.record.name_offset = static_cast<uint32_t>(at);
    at += entry.tensor->name.size();
  }
  for (Entry& entry : entries) {
    if (entry.record.storage != format::kRaw) continue;
    at = aligned(at);
    entry.record.data_offset = static_cast<uint32_t>(at);
    at += entry.tensor->data.size();
    if (at > kMaxBlobBytes) return at;
  }
  return aligned(at);
}

}  // namespace

Result<Bytes> write_golden(const FirmwareCase& wanted, uint64_t& node_budget) {
  EDGETWIN_TRY(check(wanted));
  std::vector<Entry> entries = entries_of(wanted, node_budget);
  const uint64_t size = place(entries);
  if (size > kMaxBlobBytes) return refused(wanted, "more than 256 MiB of golden data");

  Bytes blob(size);
  const auto put = [&](uint64_t offset, const void* data, size_t bytes) {
    if (bytes != 0) std::memcpy(blob.data() + offset, data, bytes);
  };
  uint64_t at = sizeof(format::Header);
  for (const Entry& entry : entries) {
    put(at, &entry.record, sizeof(entry.record));
    at += sizeof(entry.record);
    put(entry.record.name_offset, entry.tensor->name.data(), entry.tensor->name.size());
    if (entry.record.storage != format::kRaw) continue;
    put(entry.record.data_offset, entry.tensor->data.data(), entry.tensor->data.size());
  }
  format::Header header = {};
  std::memcpy(header.magic, format::kMagic, sizeof(header.magic));
  header.version = format::kVersion;
  header.size = static_cast<uint32_t>(size);
  header.crc32 = format::crc32(blob.data() + sizeof(header), blob.size() - sizeof(header));
  header.flags = wanted.lut_sweep ? format::kLutSweep : 0;
  header.inputs = static_cast<uint32_t>(wanted.inputs.size());
  header.outputs = static_cast<uint32_t>(wanted.outputs.size());
  header.nodes = static_cast<uint32_t>(wanted.nodes.size());
  header.model_size = static_cast<uint32_t>(wanted.model_file.size());
  header.model_crc32 = format::crc32(wanted.model_file.data(), wanted.model_file.size());
  put(0, &header, sizeof(header));
  return blob;
}

}  // namespace edgetwin::targets::espdl
