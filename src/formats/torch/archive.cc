// The zip layout. Members are stored, never packed, so that storages are used where they lie.
#include <map>

#include "formats/torch/crc32.h"
#include "formats/torch/layouts.h"
#include "formats/torch/machine.h"

namespace edgetwin::torch {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndBytes = 22;
constexpr size_t kLocalBytes = 30;

struct Member {
  uint64_t offset = 0;  // of the local header
  uint64_t size = 0;
  uint32_t crc = 0;
  uint16_t method = 0;
};
using Members = std::map<std::string, Member, std::less<>>;

Error bad(const std::string& what, const std::string& file) {
  return Error(ErrorCode::torch_container, what).in_file(file);
}

struct Directory {
  uint64_t offset = 0;
  uint64_t count = 0;
};

Result<Directory> find_directory(ByteSpan data, const std::string& file) {
  if (data.size() < kEndBytes) return bad("the archive is shorter than its directory", file);
  const size_t lowest = data.size() > kEndBytes + 65535 ? data.size() - kEndBytes - 65535 : 0;
  for (size_t at = data.size() - kEndBytes + 1; at-- > lowest;) {
    ByteReader reader(data.subspan(at), file);
    EDGETWIN_TRY_ASSIGN(const auto signature, reader.read<uint32_t>("end of directory"));
    if (signature != kEndSignature) continue;
    EDGETWIN_TRY(reader.skip(6, "disk numbers"));
    EDGETWIN_TRY_ASSIGN(const auto count, reader.read<uint16_t>("number of members"));
    EDGETWIN_TRY(reader.skip(4, "size of the directory"));
    EDGETWIN_TRY_ASSIGN(const auto offset, reader.read<uint32_t>("offset of the directory"));
    if (count == 0xffff || offset == 0xffffffff) {
      return Error(ErrorCode::torch_limit, "the archive has more than 65534 members or 4 GiB")
          .in_file(file);
    }
    if (offset > at) return bad("the archive's directory lies after its end", file);
    return Directory{offset, count};
  }
  return bad("the archive has no directory: it is cut off", file);
}

Result<Members> read_members(ByteSpan data, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Directory directory, find_directory(data, file));
  ByteReader reader(data, file);
  EDGETWIN_TRY(reader.skip(directory.offset, "directory"));
  Members out;
  uint64_t together = 0;
  for (uint64_t i = 0; i < directory.count; ++i) {
    EDGETWIN_TRY_ASSIGN(const auto signature, reader.read<uint32_t>("member's signature"));
    if (signature != kEntrySignature) return bad("the archive's directory is damaged", file);
    Member member;
    EDGETWIN_TRY(reader.skip(6, "member's version and flags"));
    EDGETWIN_TRY_ASSIGN(member.method, reader.read<uint16_t>("member's method"));
    EDGETWIN_TRY(reader.skip(4, "member's time"));
    EDGETWIN_TRY_ASSIGN(member.crc, reader.read<uint32_t>("member's checksum"));
    EDGETWIN_TRY_ASSIGN(const auto packed, reader.read<uint32_t>("member's packed size"));
    EDGETWIN_TRY_ASSIGN(const auto size, reader.read<uint32_t>("member's size"));
    EDGETWIN_TRY_ASSIGN(const auto name_size, reader.read<uint16_t>("length of the name"));
    EDGETWIN_TRY_ASSIGN(const auto extra_size, reader.read<uint16_t>("length of the extra field"));
    EDGETWIN_TRY_ASSIGN(const auto comment_size, reader.read<uint16_t>("length of the comment"));
    EDGETWIN_TRY(reader.skip(8, "member's attributes"));
    EDGETWIN_TRY_ASSIGN(const auto offset, reader.read<uint32_t>("member's offset"));
    EDGETWIN_TRY_ASSIGN(const ByteSpan name, reader.take(name_size, "member's name"));
    EDGETWIN_TRY(reader.skip(size_t{extra_size} + comment_size, "member's extra field"));
    member.offset = offset;
    member.size = size;
    if (member.method == 0 && packed != size) return bad("a member has two sizes", file);
    together += packed;
    if (together > data.size()) return bad("the members are larger than the archive", file);
    out.emplace(std::string(as_text(name)), member);
  }
  return out;
}

Result<ByteSpan> content(ByteSpan data, const std::string& name, const Member& member,
                         const std::string& file) {
  const std::string what = "member '" + name.substr(0, 80) + "'";
  if (member.method != 0) {
    return Error(ErrorCode::torch_container, what + " is compressed; torch.save never does that")
        .in_file(file)
        .with_hint("unpack the archive and pack it again without compression (zip -0)");
  }
  if (member.offset > data.size() || data.size() - member.offset < kLocalBytes) {
    return bad(what + " lies after the end of the file", file);
  }
  ByteReader reader(data.subspan(member.offset), file);
  EDGETWIN_TRY_ASSIGN(const auto signature, reader.read<uint32_t>("local signature"));
  if (signature != kLocalSignature) return bad(what + " is not where the directory says", file);
  EDGETWIN_TRY(reader.skip(22, "local header"));
  EDGETWIN_TRY_ASSIGN(const auto name_size, reader.read<uint16_t>("length of the name"));
  EDGETWIN_TRY_ASSIGN(const auto extra_size, reader.read<uint16_t>("length of the extra field"));
  EDGETWIN_TRY(reader.skip(size_t{name_size} + extra_size, "local name"));
  if (reader.remaining() < member.size) return bad(what + " is cut off", file);
  EDGETWIN_TRY_ASSIGN(const ByteSpan out,
                      reader.take(static_cast<size_t>(member.size), "member's content"));
  if (crc32(out) != member.crc) return bad(what + " is damaged: its checksum differs", file);
  return out;
}

// "<prefix>/data.pkl"; the prefix has no further folders.
const Members::value_type* find_pickle(const Members& members) {
  for (const auto& member : members) {
    const size_t slash = member.first.find('/');
    if (slash != std::string::npos && member.first.substr(slash) == "/data.pkl") return &member;
  }
  return nullptr;
}

}  // namespace

bool has_zip_signature(ByteSpan data) { return as_text(data).starts_with("PK\x03\x04"); }

Status Archive::read(Checkpoint& out) {
  EDGETWIN_TRY_ASSIGN(const Members members, read_members(out.data_, out.file_));
  const auto* pickle = find_pickle(members);
  if (pickle == nullptr) return bad("the zip archive has no data.pkl", out.file_);
  const std::string prefix = pickle->first.substr(0, pickle->first.find('/') + 1);
  if (pickle->second.size > kMaxPickleBytes) {
    return Error(ErrorCode::torch_limit, "data.pkl is larger than 64 MiB").in_file(out.file_);
  }
  if (const auto order = members.find(prefix + "byteorder"); order != members.end()) {
    EDGETWIN_TRY_ASSIGN(const ByteSpan text,
                        content(out.data_, order->first, order->second, out.file_));
    if (as_text(text) != "little") return bad("the numbers are stored high byte first", out.file_);
  }
  EDGETWIN_TRY_ASSIGN(const ByteSpan text,
                      content(out.data_, pickle->first, pickle->second, out.file_));
  Machine machine(out, text, static_cast<uint64_t>(text.data() - out.data_.data()));
  auto root = machine.run();
  if (!machine.unknown().empty()) return refused_globals(machine.unknown(), out.file_);
  if (!root.ok()) return std::move(root).error();
  out.root_ = *root;
  for (Storage& storage : out.storages_) {
    const auto found = members.find(prefix + "data/" + storage.key);
    if (found == members.end()) {
      return Error(ErrorCode::torch_storage, "the archive lacks storage '" + storage.key + "'")
          .in_file(out.file_);
    }
    EDGETWIN_TRY_ASSIGN(storage.data, content(out.data_, found->first, found->second, out.file_));
  }
  return Ok{};
}

}  // namespace edgetwin::torch
