// Small picture files for the tests, put together byte by byte and without the libraries under
// test.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "image/image.h"

namespace edgetwin::pictures {

template <class T>
void put(Bytes& out, T value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), raw.begin(), raw.end());
}
inline void put_all(Bytes& out, const std::vector<uint8_t>& values) {
  for (const uint8_t v : values) put(out, v);
}
inline void put_big_endian(Bytes& out, uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) put(out, static_cast<uint8_t>(value >> shift));
}

// The samples of a decoded picture; empty after an error.
inline std::vector<uint8_t> samples(ByteSpan file) {
  const auto picture = decode_image(file, "test");
  if (!picture.ok()) return {};
  const auto all = picture.value().as<uint8_t>();
  return {all.begin(), all.end()};
}

inline Tensor gradient(int64_t h, int64_t w, int64_t c) {
  Tensor t = Tensor::zeros(DType::uint8, {h, w, c}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(i * 7);
  return t;
}

// ---- BMP ----

struct Bitmap {
  uint32_t header = 40;
  int32_t width = 2;
  int32_t height = 2;
  uint16_t bits = 24;
  uint32_t compression = 0;
  uint32_t colours_used = 0;
  std::vector<uint32_t> masks = {};
  std::vector<uint8_t> palette = {};
  std::vector<uint8_t> rows = {};
  std::optional<uint32_t> pixels_at = {};

  // The masks stand inside a header that is long enough, and after a shorter one.
  uint32_t headers_end() const {
    const auto masks_end = static_cast<uint32_t>(54 + 4 * masks.size());
    return masks.empty() ? 14 + header : std::max(14 + header, masks_end);
  }

  Bytes file() const {
    Bytes out = to_bytes(as_byte_span("BM"));
    put<uint32_t>(out, 0);
    put<uint32_t>(out, 0);
    put(out, pixels_at.value_or(headers_end() + static_cast<uint32_t>(palette.size())));
    put(out, header);
    if (header == 12) {
      for (const int32_t v : {width, height, 1, int32_t{bits}}) put(out, static_cast<uint16_t>(v));
    } else {
      for (const int32_t v : {width, height}) put(out, v);
      put<uint16_t>(out, 1);
      put(out, bits);
      put(out, compression);
      for (const uint32_t v : {0U, 0U, 0U, colours_used, 0U}) put(out, v);
      for (const uint32_t v : masks) put(out, v);
    }
    out.resize(headers_end());
    put_all(out, palette);
    put_all(out, rows);
    return out;
  }
};

// 24 bits, bottom row first as the format has it.
inline Bytes bitmap(int32_t width, int32_t height) {
  Bitmap b{.width = width, .height = height};
  b.rows = {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0};
  return b.file();
}

// ---- PNG ----

inline uint32_t crc32(ByteSpan data) {
  uint32_t crc = 0xFFFFFFFF;
  for (const std::byte b : data) {
    crc ^= std::to_integer<uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
  }
  return ~crc;
}

inline void put_chunk(Bytes& out, std::string_view type, const Bytes& content) {
  put_big_endian(out, static_cast<uint32_t>(content.size()));
  const size_t start = out.size();
  const ByteSpan name = as_byte_span(type);
  out.insert(out.end(), name.begin(), name.end());
  out.insert(out.end(), content.begin(), content.end());
  put_big_endian(out, crc32(ByteSpan(out).subspan(start)));
}

// `rows` stored without compression: less than 64 KiB.
inline Bytes zlib_stream(const std::vector<uint8_t>& rows) {
  Bytes out;
  put_all(out, {0x78, 0x01, 0x01});
  const auto size = static_cast<uint16_t>(rows.size());
  put(out, size);
  put(out, static_cast<uint16_t>(~size));
  put_all(out, rows);
  uint32_t a = 1;
  uint32_t b = 0;
  for (const uint8_t v : rows) {
    a = (a + v) % 65521;
    b = (b + a) % 65521;
  }
  put_big_endian(out, b << 16 | a);
  return out;
}

struct Png {
  uint32_t width = 2;
  uint32_t height = 1;
  uint8_t bits = 8;
  uint8_t colour_type = 0;         // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha
  std::vector<uint8_t> rows = {};  // each with its filter byte in front
  std::vector<uint8_t> palette = {};
  std::string extra = {};  // the type of one more chunk, with content that means nothing

  Bytes file() const {
    Bytes out;
    put_all(out, {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'});
    Bytes header;
    put_big_endian(header, width);
    put_big_endian(header, height);
    put_all(header, {bits, colour_type, 0, 0, 0});
    put_chunk(out, "IHDR", header);
    if (!extra.empty()) put_chunk(out, extra, Bytes(5, std::byte{7}));
    Bytes colours;
    put_all(colours, palette);
    if (!palette.empty()) put_chunk(out, "PLTE", colours);
    put_chunk(out, "IDAT", zlib_stream(rows));
    put_chunk(out, "IEND", {});
    return out;
  }
};

// ---- JPEG ----

// 8 x 8 pixels of one colour, in as many components as there are values, or as there are sampling
// `factors`: then a value for each block. A value is the difference to the component's last one.
// Every coefficient is quantized by 8, which makes a sample 128 + value; the only Huffman codes are
// 0, 10 and 110 for values of 0, 6 and 7 bits, and 0 for "no more coefficients".
inline Bytes jpeg(const std::vector<int>& values, uint16_t width = 8, uint16_t height = 8,
                  std::vector<uint8_t> factors = {}) {
  if (factors.empty()) factors.assign(values.size(), 0x11);
  const auto n = static_cast<uint8_t>(factors.size());
  Bytes out;
  put_all(out, {0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0});
  put_all(out, std::vector<uint8_t>(64, 8));
  put_all(out, {0xFF, 0xC0, 0, static_cast<uint8_t>(8 + 3 * n), 8});
  for (const uint16_t v : {height, width}) {
    put_all(out, {static_cast<uint8_t>(v >> 8), static_cast<uint8_t>(v)});
  }
  put(out, n);
  for (uint8_t i = 1; i <= n; ++i) put_all(out, {i, factors[i - 1U], 0});
  put_all(out, {0xFF, 0xC4, 0, 22, 0x00, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 7});
  put_all(out, {0xFF, 0xC4, 0, 20, 0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  put_all(out, {0xFF, 0xDA, 0, static_cast<uint8_t>(6 + 2 * n), n});
  for (uint8_t i = 1; i <= n; ++i) put_all(out, {i, 0});
  put_all(out, {0, 63, 0});
  std::string bits;
  for (const int v : values) {
    const int size = v == 0 ? 0 : std::abs(v) < 64 ? 6 : 7;
    bits += size == 0 ? "0" : size == 6 ? "10" : "110";
    const int code = v < 0 ? v + (1 << size) - 1 : v;
    for (int i = size - 1; i >= 0; --i) bits += (code >> i & 1) != 0 ? '1' : '0';
    bits += '0';
  }
  while (bits.size() % 8 != 0) bits += '1';
  for (size_t i = 0; i < bits.size(); i += 8) {
    const auto byte = static_cast<uint8_t>(std::stoi(bits.substr(i, 8), nullptr, 2));
    put(out, byte);
    if (byte == 0xFF) put<uint8_t>(out, 0);
  }
  put_all(out, {0xFF, 0xD9});
  return out;
}

}  // namespace edgetwin::pictures
