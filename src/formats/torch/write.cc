// The zip layout as torch.save writes it.
#include "formats/torch/crc32.h"
#include "formats/torch/pickle_writer.h"

namespace edgetwin::torch {
namespace {

constexpr size_t kAlignment = 64;   // of every member's content
constexpr uint16_t kDate = 0x0021;  // 1 January 1980, the oldest: the same input, the same bytes
constexpr uint16_t kUtf8Names = 0x800;
constexpr uint16_t kPadding = 0x4246;  // the extra field that PyTorch pads with ("FB")

struct Entry {
  std::string name;
  uint32_t crc = 0;
  uint32_t size = 0;
  uint32_t offset = 0;
};

void write_common(ByteWriter& out, const Entry& entry, uint16_t extra) {
  out.write<uint16_t>(kUtf8Names, "flags");
  out.write<uint16_t>(0, "method");
  out.write<uint16_t>(0, "time");
  out.write<uint16_t>(kDate, "date");
  out.write<uint32_t>(entry.crc, "checksum");
  out.write<uint32_t>(entry.size, "packed size");
  out.write<uint32_t>(entry.size, "size");
  out.write<uint16_t>(static_cast<uint16_t>(entry.name.size()), "length of the name");
  out.write<uint16_t>(extra, "length of the extra field");
}

Entry add_member(ByteWriter& out, std::string name, ByteSpan content) {
  Entry entry;
  entry.crc = crc32(content);
  entry.size = static_cast<uint32_t>(content.size());
  entry.offset = static_cast<uint32_t>(out.size());
  entry.name = std::move(name);
  const size_t bare = out.size() + 30 + entry.name.size() + 4;
  const auto padding = static_cast<uint16_t>((kAlignment - bare % kAlignment) % kAlignment);
  out.write<uint32_t>(0x04034b50, "local header");
  out.write<uint16_t>(10, "version needed");
  write_common(out, entry, static_cast<uint16_t>(padding + 4));
  out.append(as_byte_span(entry.name), "name");
  out.write<uint16_t>(kPadding, "padding");
  out.write<uint16_t>(padding, "length of the padding");
  out.append(as_byte_span(std::string(padding, 'Z')), "padding");
  out.append(content, "content");
  return entry;
}

void write_directory(ByteWriter& out, const std::vector<Entry>& entries) {
  const auto begin = static_cast<uint32_t>(out.size());
  for (const Entry& entry : entries) {
    out.write<uint32_t>(0x02014b50, "directory entry");
    out.write<uint16_t>(10, "version made by");
    out.write<uint16_t>(10, "version needed");
    write_common(out, entry, 0);
    out.write<uint16_t>(0, "length of the comment");
    out.write<uint16_t>(0, "disk");
    out.write<uint16_t>(0, "internal attributes");
    out.write<uint32_t>(0, "external attributes");
    out.write<uint32_t>(entry.offset, "offset");
    out.append(as_byte_span(entry.name), "name");
  }
  const auto size = static_cast<uint32_t>(out.size()) - begin;
  out.write<uint32_t>(0x06054b50, "end of directory");
  out.write<uint32_t>(0, "disks");
  out.write<uint16_t>(static_cast<uint16_t>(entries.size()), "members on this disk");
  out.write<uint16_t>(static_cast<uint16_t>(entries.size()), "members");
  out.write<uint32_t>(size, "size of the directory");
  out.write<uint32_t>(begin, "offset of the directory");
  out.write<uint16_t>(0, "length of the comment");
}

}  // namespace

Result<Bytes> write(const Checkpoint& checkpoint, std::string_view prefix) {
  PickleWriter writer(checkpoint);
  EDGETWIN_TRY_ASSIGN(const Bytes pickle, writer.run());
  const auto contents = writer.contents();
  uint64_t size = pickle.size();
  for (const auto& content : contents) size += content.data.size() + 512;
  if (size > uint64_t{1} << 31 || contents.size() > 65000) {
    return Error(ErrorCode::torch_write, "the checkpoint would be larger than 2 GiB");
  }
  const std::string folder = std::string(prefix) + "/";
  ByteWriter out;
  std::vector<Entry> entries;
  entries.push_back(add_member(out, folder + "data.pkl", pickle));
  for (size_t i = 0; i < contents.size(); ++i) {
    entries.push_back(add_member(out, folder + "data/" + std::to_string(i), contents[i].data));
  }
  entries.push_back(add_member(out, folder + "version", as_byte_span("3\n")));
  write_directory(out, entries);
  return out.bytes();
}

}  // namespace edgetwin::torch
