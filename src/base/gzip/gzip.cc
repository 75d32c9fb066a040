#include "base/gzip/gzip.h"

#include <lodepng.h>

#include <cstdlib>
#include <memory>

namespace edgetwin {
namespace {

constexpr size_t kHeader = 10, kTrailer = 8;

struct Free {
  void operator()(unsigned char* p) const { std::free(p); }
};

uint32_t little(ByteSpan data, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= std::to_integer<uint32_t>(data[at + i]) << (8 * i);
  return value;
}

Error bad(const std::string& what, const std::string& file) {
  return Error(ErrorCode::bad_value, what).in_file(file);
}

// The length of the header with its optional parts; 0: it is cut off.
size_t header_length(ByteSpan data) {
  const auto flags = std::to_integer<unsigned>(data[3]);
  size_t at = kHeader;
  if ((flags & 4U) != 0) {
    if (at + 2 > data.size()) return 0;
    at += 2 + std::to_integer<size_t>(data[at]) + 256 * std::to_integer<size_t>(data[at + 1]);
  }
  for (const unsigned text : {8U, 16U}) {
    if ((flags & text) == 0) continue;
    while (at < data.size() && data[at] != std::byte{0}) ++at;
    ++at;
  }
  if ((flags & 2U) != 0) at += 2;
  return at + kTrailer > data.size() ? 0 : at;
}

}  // namespace

bool is_gzip(ByteSpan data) {
  return data.size() >= kHeader + kTrailer && data[0] == std::byte{0x1f} &&
         data[1] == std::byte{0x8b} && data[2] == std::byte{8};
}

Result<Bytes> gunzip(ByteSpan data, const std::string& file, size_t limit) {
  if (!is_gzip(data)) return bad("the file is not gzip", file);
  const size_t begin = header_length(data);
  if (begin == 0) return bad("the gzip file ends in its header", file);
  const size_t wanted = little(data, data.size() - 4);
  if (wanted > limit) return bad("the gzip file holds more than is read", file);
  LodePNGDecompressSettings settings = lodepng_default_decompress_settings;
  settings.max_output_size = limit;
  unsigned char* raw = nullptr;
  size_t size = 0;
  const auto* from = reinterpret_cast<const unsigned char*>(data.data());
  const unsigned failed =
      lodepng_inflate(&raw, &size, from + begin, data.size() - begin - kTrailer, &settings);
  const std::unique_ptr<unsigned char, Free> owner(raw);
  if (failed != 0) return bad("the gzip file is damaged", file);
  if (size != wanted || lodepng_crc32(raw, size) != little(data, data.size() - 8)) {
    return bad("the gzip file's length or checksum is wrong", file);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(raw);
  return Bytes(bytes, bytes + size);
}

}  // namespace edgetwin
