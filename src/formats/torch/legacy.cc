// The older layout: a row of pickles (magic number, version, machine, object, list of storages),
// then for each storage its number of elements and the elements.
#include <algorithm>
#include <unordered_map>

#include "formats/torch/layouts.h"
#include "formats/torch/machine.h"

namespace edgetwin::torch {
namespace {

// 0x1950a86a20f9469cfc6c, as LONG1 after the mark of protocol 2.
constexpr std::string_view kMagic("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 14);
constexpr int64_t kProtocolVersion = 1001;

}  // namespace

bool has_legacy_magic(ByteSpan data) { return as_text(data).starts_with(kMagic); }

Status Legacy::read(Checkpoint& out) {
  const auto bad = [&out](const std::string& what) {
    return Error(ErrorCode::torch_container, what).in_file(out.file_);
  };
  size_t at = 0;
  std::vector<std::string> unknown;
  const auto next = [&](std::optional<NodeId>& value) -> Status {
    const size_t length = std::min<size_t>(out.data_.size() - at, kMaxPickleBytes);
    Machine machine(out, ByteSpan(out.data_).subspan(at, length), at);
    auto result = machine.run();
    if (!machine.unknown().empty()) return refused_globals(machine.unknown(), out.file_);
    if (!result.ok()) return std::move(result).error();
    value = *result;
    at += machine.consumed();
    return Ok{};
  };
  std::optional<NodeId> magic, version, system, object, keys;
  EDGETWIN_TRY(next(magic));
  EDGETWIN_TRY(next(version));
  if (out.node(*version).integer != kProtocolVersion) {
    return bad("the version of the file is " + std::to_string(out.node(*version).integer) +
               ", known is 1001");
  }
  EDGETWIN_TRY(next(system));
  const auto little = out.find(*system, "little_endian");
  if (!little || out.node(*little).integer != 1)
    return bad("the numbers are stored high byte first");
  EDGETWIN_TRY(next(object));
  EDGETWIN_TRY(next(keys));
  out.root_ = *object;

  std::unordered_map<std::string, Storage*> by_key;
  for (Storage& storage : out.storages_) by_key.emplace(storage.key, &storage);
  ByteReader reader(out.data_, out.file_);
  EDGETWIN_TRY(reader.skip(at, "pickles"));
  for (const NodeId key : out.node(*keys).items) {
    const auto found = by_key.find(out.node(key).text);
    if (found == by_key.end()) return bad("the file lists a storage that nothing uses");
    Storage& storage = *found->second;
    EDGETWIN_TRY_ASSIGN(const auto count, reader.read<int64_t>("elements of a storage"));
    if (count != storage.elements) {
      return Error(ErrorCode::torch_storage, "storage '" + storage.key + "' has " +
                                                 std::to_string(count) + " elements, stated are " +
                                                 std::to_string(storage.elements))
          .in_file(out.file_);
    }
    const auto size = static_cast<uint64_t>(count) * byte_size(storage.dtype);
    if (static_cast<uint64_t>(count) > reader.remaining() || size > reader.remaining()) {
      return Error(ErrorCode::torch_storage, "the file ends inside storage '" + storage.key + "'")
          .in_file(out.file_)
          .at_offset(reader.offset());
    }
    EDGETWIN_TRY_ASSIGN(storage.data, reader.take(static_cast<size_t>(size), "storage"));
  }
  return Ok{};
}

}  // namespace edgetwin::torch
