#include "formats/darwinn/darwinn.h"

#include <algorithm>

namespace edgetwin::darwinn {

std::string_view name(BaseAddress base) {
  switch (base) {
    case BaseAddress::output:
      return "output";
    case BaseAddress::input:
      return "input";
    case BaseAddress::parameter:
      return "parameter";
    case BaseAddress::scratch:
      return "scratch";
  }
  return "";
}

std::string_view name(ExecutableType type) {
  switch (type) {
    case ExecutableType::stand_alone:
      return "STAND_ALONE";
    case ExecutableType::parameter_caching:
      return "PARAMETER_CACHING";
    case ExecutableType::execution_only:
      return "EXECUTION_ONLY";
  }
  return "";
}

std::string_view name(Container container) {
  switch (container) {
    case Container::tflite:
      return "tflite";
    case Container::package:
      return "package";
    case Container::executable:
      return "executable";
    case Container::bitstream:
      return "bitstream";
  }
  return "";
}

namespace {

struct DataTypeInfo {
  DataType type;
  std::string_view name;
  int bytes;
};

constexpr DataTypeInfo kDataTypes[] = {
    {DataType::unsigned8, "uint8", 1}, {DataType::unsigned16, "uint16", 2},
    {DataType::signed32, "int32", 4},  {DataType::bfloat16, "bfloat16", 2},
    {DataType::half, "float16", 2},    {DataType::float32, "float32", 4},
    {DataType::signed8, "int8", 1},    {DataType::signed16, "int16", 2}};

const DataTypeInfo* find(DataType type) {
  for (const DataTypeInfo& t : kDataTypes) {
    if (t.type == type) return &t;
  }
  return nullptr;
}

}  // namespace

std::string_view name(DataType type) {
  const DataTypeInfo* t = find(type);
  return t == nullptr ? "" : t->name;
}

int bytes_of(DataType type) {
  const DataTypeInfo* t = find(type);
  return t == nullptr ? 0 : t->bytes;
}

bool host_flips_sign(DataType type) {
  return type == DataType::signed8 || type == DataType::signed16;
}

const Executable* Package::find(ExecutableType type) const {
  const auto found = std::find_if(executables.begin(), executables.end(),
                                  [&](const Executable& e) { return e.type == type; });
  return found == executables.end() ? nullptr : &*found;
}

const Executable* Package::inference() const {
  const Executable* alone = find(ExecutableType::stand_alone);
  if (alone != nullptr) return alone;
  const Executable* execution = find(ExecutableType::execution_only);
  if (execution != nullptr) return execution;
  return executables.empty() ? nullptr : executables.data();
}

std::vector<BitstreamId> all_bitstreams(const File& file) {
  std::vector<BitstreamId> ids;
  for (size_t o = 0; o < file.ops.size(); ++o) {
    const auto& packages = file.ops[o].packages;
    for (size_t p = 0; p < packages.size(); ++p) {
      const auto& executables = packages[p].executables;
      for (size_t e = 0; e < executables.size(); ++e) {
        for (size_t c = 0; c < executables[e].bitstreams.size(); ++c) ids.push_back({o, p, e, c});
      }
    }
  }
  return ids;
}

const Executable* executable_of(const File& file, const BitstreamId& id) {
  if (id.op >= file.ops.size()) return nullptr;
  const auto& packages = file.ops[id.op].packages;
  if (id.package >= packages.size()) return nullptr;
  const auto& executables = packages[id.package].executables;
  return id.executable < executables.size() ? &executables[id.executable] : nullptr;
}

const Bitstream* find(const File& file, const BitstreamId& id) {
  const Executable* e = executable_of(file, id);
  return e != nullptr && id.chunk < e->bitstreams.size() ? &e->bitstreams[id.chunk] : nullptr;
}

Status overwrite(Bytes& file, const Extent& place, ByteSpan data) {
  if (data.size() != place.size || place.offset > file.size() ||
      data.size() > file.size() - place.offset) {
    return Error(ErrorCode::darwinn_place,
                 std::to_string(data.size()) + " new bytes for " + std::to_string(place.size))
        .at_offset(place.offset);
  }
  std::copy(data.begin(), data.end(), file.begin() + static_cast<std::ptrdiff_t>(place.offset));
  return Ok{};
}

}  // namespace edgetwin::darwinn
