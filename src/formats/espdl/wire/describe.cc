#include "formats/espdl/wire/describe.h"

#include <algorithm>

#include "formats/espdl/wire/wire.h"

namespace edgetwin::espdl {
namespace {

class Dump {
 public:
  Dump(ByteSpan data, const std::string& file) : data_(data), file_(file) {}

  Status model(uint64_t offset, const std::string& prefix);
  Status package(int version);
  std::vector<DumpLine> lines;

 private:
  Result<ByteSpan> take(ByteReader& reader, size_t size, const std::string& field) {
    const uint64_t offset = reader.offset();
    EDGETWIN_TRY_ASSIGN(const ByteSpan bytes, reader.take(size, field));
    lines.push_back({offset, size, field, ""});
    return bytes;
  }
  Status text(ByteReader& reader, size_t size, const std::string& field);
  Result<uint32_t> number(ByteReader& reader, const std::string& field);
  Status entry(ByteReader& reader, size_t index);

  ByteSpan data_;
  std::string file_;
};

// Up to the first NUL.
Status Dump::text(ByteReader& reader, size_t size, const std::string& field) {
  EDGETWIN_TRY_ASSIGN(const ByteSpan bytes, take(reader, size, field));
  const std::string_view all = as_text(bytes);
  lines.back().value = all.substr(0, all.find('\0'));
  return Ok{};
}

Result<uint32_t> Dump::number(ByteReader& reader, const std::string& field) {
  EDGETWIN_TRY_ASSIGN(const ByteSpan bytes, take(reader, sizeof(uint32_t), field));
  uint32_t value;
  std::memcpy(&value, bytes.data(), sizeof value);
  lines.back().value = std::to_string(value);
  return value;
}

Status Dump::model(uint64_t offset, const std::string& prefix) {
  ByteReader reader(data_, file_);
  EDGETWIN_TRY(reader.skip(offset, prefix + "header"));
  const Magic magic = magic_of(data_.subspan(offset));
  if (magic.letter != 'E') {
    return reader.error(ErrorCode::espdl_header, "no model begins here: neither EDL1 nor EDL2",
                        prefix + "header.magic");
  }
  EDGETWIN_TRY(text(reader, kMagicSize, prefix + "header.magic"));
  EDGETWIN_TRY_ASSIGN(const uint32_t mode, number(reader, prefix + "header.encryption"));
  lines.back().value += mode == 0 ? " (plain)" : mode == 1 ? " (AES-128-CTR)" : " (unknown)";
  EDGETWIN_TRY_ASSIGN(const uint32_t length, number(reader, prefix + "header.length"));
  if (magic.version == 2) EDGETWIN_TRY(number(reader, prefix + "header.zero"));
  EDGETWIN_TRY_ASSIGN(const ByteSpan payload, take(reader, length, prefix + "payload"));
  if (mode != 0) {
    lines.back().value = "encrypted";
  } else if (payload.size() >= sizeof(uint32_t)) {
    uint32_t root;
    std::memcpy(&root, payload.data(), sizeof root);
    lines.back().value = "FlatBuffer, table Model at " + std::to_string(root);
  }
  return Ok{};
}

Status Dump::entry(ByteReader& reader, size_t index) {
  const std::string prefix = "package.entry[" + std::to_string(index) + "].";
  EDGETWIN_TRY_ASSIGN(const uint32_t offset, number(reader, prefix + "data_offset"));
  EDGETWIN_TRY_ASSIGN(const uint32_t name_offset, number(reader, prefix + "name_offset"));
  EDGETWIN_TRY_ASSIGN(const uint32_t name_length, number(reader, prefix + "name_length"));
  ByteReader name(data_, file_);
  EDGETWIN_TRY(name.skip(name_offset, prefix + "name"));
  EDGETWIN_TRY(text(name, std::min<size_t>(name_length, kMaxNameSize), prefix + "name"));
  return model(offset, "model[" + std::to_string(index) + "].");
}

Status Dump::package(int version) {
  ByteReader reader(data_, file_);
  EDGETWIN_TRY(text(reader, kMagicSize, "package.magic"));
  if (version == 3) {
    EDGETWIN_TRY(text(reader, kPackageTextSize, "package.version"));
    EDGETWIN_TRY(number(reader, "package.size"));
    EDGETWIN_TRY_ASSIGN(const ByteSpan digest, take(reader, kDigestSize, "package.sha256"));
    lines.back().value = hex(digest);
  }
  EDGETWIN_TRY_ASSIGN(const uint32_t count, number(reader, "package.models"));
  if (count > kMaxModels) {
    return reader.error(ErrorCode::espdl_package,
                        std::to_string(count) + " models, at most " + std::to_string(kMaxModels),
                        "package.models");
  }
  for (size_t i = 0; i < count; ++i) EDGETWIN_TRY(entry(reader, i));
  return Ok{};
}

}  // namespace

Result<std::vector<DumpLine>> describe(ByteSpan data, const std::string& file) {
  Dump dump(data, file);
  const Magic magic = magic_of(data);
  if (magic.letter == 'P') {
    EDGETWIN_TRY(dump.package(magic.version));
  } else {
    EDGETWIN_TRY(dump.model(0, ""));
  }
  return std::move(dump.lines);
}

}  // namespace edgetwin::espdl
