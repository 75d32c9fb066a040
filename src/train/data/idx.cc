// The format of the handwritten digits: magic number 00 00 08 and the number of dimensions, sizes
// big-endian, bytes.
#include "base/file.h"
#include "base/gzip/gzip.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

constexpr uint8_t kBytes = 0x08;

fs::path part_file(const fs::path& folder, const std::string& part, const char* what) {
  const fs::path usual = folder / (part + "-" + what + "-ubyte");
  std::error_code failed;
  if (fs::exists(usual, failed)) return usual;
  const std::string dotted = part + "-" + what + ".ubyte";
  for (const std::string& name : {usual.filename().string() + ".gz", dotted + ".gz"}) {
    if (fs::exists(folder / name, failed)) return folder / name;
  }
  return folder / dotted;
}

Error damaged(const std::string& file, uint64_t offset, const char* field, std::string message) {
  return broken(Rule::data_file, std::move(message))
      .in_file(file)
      .at_offset(offset)
      .in_field(field);
}

// The content of a file, unpacked where it is packed.
Result<Bytes> read_plain(const fs::path& file) {
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(file));
  if (!is_gzip(data)) return data;
  Result<Bytes> plain = gunzip(data, file.string());
  if (plain) return plain;
  return damaged(file.string(), 0, "gzip", plain.error().message);
}

Result<DataSet> read_pair(const fs::path& folder, const std::string& part) {
  const fs::path pictures = part_file(folder, part, "images-idx3");
  const fs::path names = part_file(folder, part, "labels-idx1");
  EDGETWIN_TRY_ASSIGN(const Bytes picture_data, read_plain(pictures));
  EDGETWIN_TRY_ASSIGN(const Bytes label_data, read_plain(names));
  EDGETWIN_TRY_ASSIGN(const IdxArray items, parse_idx(picture_data, 3, pictures.string()));
  EDGETWIN_TRY_ASSIGN(const IdxArray labels, parse_idx(label_data, 1, names.string()));
  if (items.sizes[0] != labels.sizes[0]) {
    return damaged(names.string(), 4, "count",
                   std::to_string(labels.sizes[0]) + " labels for " +
                       std::to_string(items.sizes[0]) + " pictures");
  }
  DataSet set{.channels = 1,
              .height = static_cast<int>(items.sizes[1]),
              .width = static_cast<int>(items.sizes[2]),
              .bytes = {},
              .labels = {}};
  const auto* bytes = reinterpret_cast<const uint8_t*>(items.values.data());
  set.bytes.assign(bytes, bytes + items.values.size());
  for (const std::byte b : labels.values) set.labels.push_back(static_cast<int64_t>(b));
  return set;
}

}  // namespace

Result<IdxArray> parse_idx(ByteSpan data, int dimensions, const std::string& file) {
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(data[at]); };
  const size_t header = 4 + 4 * static_cast<size_t>(dimensions);
  if (data.size() < header) return damaged(file, data.size(), "header", "the file is too short");
  if (byte(0) != 0 || byte(1) != 0 || byte(2) != kBytes ||
      byte(3) != static_cast<uint32_t>(dimensions)) {
    return damaged(file, 0, "magic number",
                   "the magic number is not 00 00 08 0" + std::to_string(dimensions));
  }
  IdxArray result;
  uint64_t elements = 1;
  for (size_t at = 4; at < header; at += 4) {
    result.sizes.push_back(byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3));
    elements *= result.sizes.back();
    if (elements > kMaxFileBytes) return damaged(file, at, "size", "the size is beyond the limit");
  }
  if (data.size() - header != elements) {
    return damaged(file, header, "values",
                   std::to_string(data.size() - header) +
                       " bytes follow the header, its sizes need " + std::to_string(elements));
  }
  result.values = data.subspan(header);
  return result;
}

bool has_idx(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(part_file(folder, "train", "images-idx3"), failed);
}

Result<Data> read_idx(const fs::path& folder) {
  Data data{.train = {}, .test = {}, .classes = {}, .format = "idx", .validation = {}};
  EDGETWIN_TRY_ASSIGN(data.train, read_pair(folder, "train"));
  EDGETWIN_TRY_ASSIGN(data.test, read_pair(folder, "t10k"));
  int64_t largest = 0;
  for (const int64_t label : data.train.labels) largest = std::max(largest, label);
  for (int64_t c = 0; c <= largest; ++c) data.classes.push_back(std::to_string(c));
  return data;
}

}  // namespace edgetwin::train
