// The format of the handwritten digits: magic number 00 00 08 and the number of dimensions, sizes
// big-endian, bytes.
#include <algorithm>
#include <bit>
#include <utility>

#include "base/file.h"
#include "base/gzip/gzip.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

// Types of the elements.
constexpr uint32_t kBytes = 0x08, kSigned = 0x09, kReal = 0x0D;

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

Result<DataSet> read_pair(const fs::path& folder, const std::string& part, bool& levels) {
  const fs::path pictures = part_file(folder, part, "images-idx3");
  const fs::path names = part_file(folder, part, "labels-idx1");
  EDGETWIN_TRY_ASSIGN(const Bytes picture_data, read_plain(pictures));
  EDGETWIN_TRY_ASSIGN(const Bytes label_data, read_plain(names));
  EDGETWIN_TRY_ASSIGN(IdxArray items, parse_idx(picture_data, 3, pictures.string()));
  EDGETWIN_TRY_ASSIGN(const IdxArray labels, parse_idx(label_data, 1, names.string()));
  if (items.sizes[0] != labels.sizes[0]) {
    return damaged(names.string(), 4, "count",
                   std::to_string(labels.sizes[0]) + " labels for " +
                       std::to_string(items.sizes[0]) + " pictures");
  }
  levels = levels || items.levels;
  DataSet set;
  set.channels = 1;
  set.height = static_cast<int>(items.sizes[1]);
  set.width = static_cast<int>(items.sizes[2]);
  set.bytes = std::move(items.values);
  set.labels.assign(labels.values.begin(), labels.values.end());
  return set;
}

// Elements as bytes; big-endian numbers where `type` says so.
Result<std::vector<uint8_t>> bytes_of_elements(ByteSpan values, uint32_t type,
                                               const std::string& file, size_t header) {
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(values[at]); };
  std::vector<uint8_t> bytes;
  if (type != kReal) {
    const auto* first = reinterpret_cast<const uint8_t*>(values.data());
    bytes.assign(first, first + values.size());
    if (type == kSigned) {
      for (uint8_t& b : bytes) b = static_cast<uint8_t>(b ^ 0x80);  // level + 128
    }
    return bytes;
  }
  std::vector<float> numbers;
  for (size_t i = 0; i + 4 <= values.size(); i += 4) {
    numbers.push_back(
        std::bit_cast<float>(byte(i) << 24 | byte(i + 1) << 16 | byte(i + 2) << 8 | byte(i + 3)));
  }
  RealRange range;
  for (const float n : numbers) range.see(static_cast<double>(n));
  const auto decided = range.decide(file, "values");
  if (!decided) return damaged(file, header, "values", decided.error().message);
  for (const float n : numbers) bytes.push_back(range.byte(static_cast<double>(n)));
  return bytes;
}

}  // namespace

Result<IdxArray> parse_idx(ByteSpan data, int dimensions, const std::string& file) {
  const auto byte = [&](size_t at) { return static_cast<uint32_t>(data[at]); };
  const size_t header = 4 + 4 * static_cast<size_t>(dimensions);
  if (data.size() < header) return damaged(file, data.size(), "header", "the file is too short");
  const uint32_t type = byte(2);
  const bool known = type == kBytes || (dimensions > 1 && (type == kSigned || type == kReal));
  if (byte(0) != 0 || byte(1) != 0 || !known || byte(3) != static_cast<uint32_t>(dimensions)) {
    return damaged(file, 0, "magic number",
                   "the magic number is not 00 00 08 0" + std::to_string(dimensions) +
                       (dimensions > 1 ? ", 00 00 09 03 or 00 00 0D 03" : ""));
  }
  IdxArray result;
  uint64_t elements = 1;
  for (size_t at = 4; at < header; at += 4) {
    result.sizes.push_back(byte(at) << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3));
    elements *= result.sizes.back();
    if (elements > kMaxFileBytes) return damaged(file, at, "size", "the size is beyond the limit");
  }
  const uint64_t needed = elements * (type == kReal ? 4 : 1);
  if (data.size() - header != needed) {
    return damaged(file, header, "values",
                   std::to_string(data.size() - header) +
                       " bytes follow the header, its sizes need " + std::to_string(needed));
  }
  result.levels = type != kBytes;
  EDGETWIN_TRY_ASSIGN(result.values, bytes_of_elements(data.subspan(header), type, file, header));
  return result;
}

bool has_idx(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(part_file(folder, "train", "images-idx3"), failed);
}

Result<Data> read_idx(const fs::path& folder, const DataOptions& options) {
  Data data;
  data.format = "idx";
  EDGETWIN_TRY_ASSIGN(data.train, read_pair(folder, "train", data.levels));
  EDGETWIN_TRY_ASSIGN(data.test, read_pair(folder, "t10k", data.levels));
  int64_t largest = 0;
  for (const int64_t label : data.train.labels) largest = std::max(largest, label);
  if (static_cast<int64_t>(options.classes.size()) > largest) data.classes = options.classes;
  for (auto c = static_cast<int64_t>(data.classes.size()); c <= largest; ++c) {
    data.classes.push_back(std::to_string(c));
  }
  return data;
}

}  // namespace edgetwin::train
