#include "image/bmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "image/picture.h"

namespace edgetwin {
namespace {

constexpr uint32_t kFileHeaderSize = 14;
constexpr uint32_t kCoreHeaderSize = 12;  // OS/2 1.x: 16-bit sizes, palette entries of 3 bytes
constexpr uint32_t kOs2HeaderSize = 64;   // OS/2 2.x: its compressions from 3 on are its own
constexpr std::array<uint32_t, 7> kHeaderSizes = {12, 40, 52, 56, 64, 108, 124};

enum Compression : uint32_t { kPlain = 0, kRle8, kRle4, kBitfields, kJpeg, kPng, kAlphaBitfields };

using Rgb = std::array<uint8_t, 3>;

struct Header {
  uint32_t pixels_at = 0;
  uint32_t size = 0;
  int64_t width = 0;
  int64_t height = 0;
  bool top_down = false;
  uint32_t bits = 0;  // per pixel
  uint32_t compression = kPlain;
  uint32_t colours_used = 0;  // 0: as many as `bits` can tell apart
};

// Where one of red, green and blue is in a pixel's value.
struct Channel {
  int shift = 0;
  int bits = 0;
};
using Channels = std::array<Channel, 3>;

// ---- Headers ----

Status read_core_header(ByteReader& in, Header& h) {
  EDGETWIN_TRY_ASSIGN(h.width, in.read<uint16_t>("width"));
  EDGETWIN_TRY_ASSIGN(h.height, in.read<uint16_t>("height"));
  EDGETWIN_TRY(in.skip(2, "planes"));
  EDGETWIN_TRY_ASSIGN(h.bits, in.read<uint16_t>("bits per pixel"));
  return Ok{};
}

Status read_info_header(ByteReader& in, Header& h) {
  EDGETWIN_TRY_ASSIGN(h.width, in.read<int32_t>("width"));
  EDGETWIN_TRY_ASSIGN(h.height, in.read<int32_t>("height"));
  EDGETWIN_TRY(in.skip(2, "planes"));
  EDGETWIN_TRY_ASSIGN(h.bits, in.read<uint16_t>("bits per pixel"));
  EDGETWIN_TRY_ASSIGN(h.compression, in.read<uint32_t>("compression"));
  EDGETWIN_TRY(in.skip(12, "image size and resolution"));
  EDGETWIN_TRY_ASSIGN(h.colours_used, in.read<uint32_t>("colours used"));
  EDGETWIN_TRY(in.skip(4, "important colours"));
  h.top_down = h.height < 0;
  if (h.top_down) h.height = -h.height;
  return Ok{};
}

// Up to the end of what every header of its size has in front: 26 or 54 bytes.
Result<Header> read_header(ByteReader& in) {
  Header h;
  EDGETWIN_TRY(in.skip(10, "signature and file size"));
  EDGETWIN_TRY_ASSIGN(h.pixels_at, in.read<uint32_t>("offset of the pixels"));
  EDGETWIN_TRY_ASSIGN(h.size, in.read<uint32_t>("size of the header"));
  EDGETWIN_TRY(h.size == kCoreHeaderSize ? read_core_header(in, h) : read_info_header(in, h));
  return h;
}

std::string refusal(const Header& h) {
  const bool bitfields = h.compression == kBitfields || h.compression == kAlphaBitfields;
  const uint32_t b = h.bits;
  if (h.compression == kRle4 || h.compression == kRle8) {
    return "the bitmap is compressed (RLE); only bitmaps without compression are read";
  }
  if (h.compression != kPlain && (!bitfields || h.size == kOs2HeaderSize)) {
    return "the bitmap has compression " + std::to_string(h.compression) +
           "; only bitmaps without compression are read";
  }
  if (b != 1 && b != 4 && b != 8 && b != 16 && b != 24 && b != 32) {
    return "the bitmap has " + std::to_string(b) +
           " bits per pixel; 1, 4, 8, 16, 24 and 32 are read";
  }
  if (bitfields && b != 16 && b != 32) {
    return "the bitmap has colour masks for " + std::to_string(b) +
           " bits per pixel; only 16 and 32 can have them";
  }
  return {};
}

// ---- Colours ----

// The set bits of a mask, if they are one run; otherwise none.
Channel channel_of(uint32_t mask) {
  if (mask == 0) return {};
  const int shift = std::countr_zero(mask);
  const int bits = std::popcount(mask);
  return std::countr_one(mask >> shift) == bits ? Channel{shift, bits} : Channel{};
}

Result<Channels> read_channels(ByteReader& in, const Header& h, const std::string& file) {
  std::array<uint32_t, 3> masks = {0xFF0000, 0xFF00, 0xFF};
  if (h.bits == 16) masks = {0x7C00, 0x03E0, 0x001F};
  if (h.compression != kPlain) {
    EDGETWIN_TRY_ASSIGN(masks, (in.read<std::array<uint32_t, 3>>("colour masks")));
  }
  Channels channels;
  bool good = (masks[0] & masks[1]) == 0 && ((masks[0] | masks[1]) & masks[2]) == 0;
  for (size_t i = 0; i < masks.size(); ++i) {
    channels[i] = channel_of(masks[i]);
    good = good && channels[i].bits > 0 &&
           channels[i].shift + channels[i].bits <= static_cast<int>(h.bits);
  }
  if (good) return channels;
  return picture_error("the colour masks of the bitmap contradict each other or its pixels", file)
      .at_offset(in.offset() - sizeof(masks))
      .in_field("colour masks");
}

// What stands between the headers and the pixels, and no more than that.
Result<std::vector<Rgb>> read_palette(ByteReader& in, const Header& h) {
  const size_t entry = h.size == kCoreHeaderSize ? 3 : 4;
  const uint32_t most = 1U << h.bits;
  const size_t told = h.colours_used == 0 ? most : std::min(h.colours_used, most);
  const size_t count = std::min(told, (h.pixels_at - in.offset()) / entry);
  EDGETWIN_TRY_ASSIGN(const ByteSpan raw, in.take(count * entry, "palette"));
  std::vector<Rgb> palette(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      palette[i][c] = std::to_integer<uint8_t>(raw[i * entry + 2 - c]);
    }
  }
  return palette;
}

// Few bits are repeated down to the lowest, so that all ones become 255; of many the upper 8 stay.
uint8_t eight_bits(uint32_t value, int bits) {
  if (bits >= 8) return static_cast<uint8_t>(value >> (bits - 8));
  value <<= 8 - bits;
  for (; bits < 8; bits *= 2) value |= value >> bits;
  return static_cast<uint8_t>(value);
}

// ---- Rows ----

void unpack_colours(ByteSpan row, size_t bytes, const Channels& channels, std::span<uint8_t> out) {
  for (size_t x = 0; x < out.size() / 3; ++x) {
    uint32_t value = 0;
    std::memcpy(&value, row.data() + x * bytes, bytes);
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t ones = 0xFFFFFFFFU >> (32 - channels[c].bits);
      out[x * 3 + c] = eight_bits(value >> channels[c].shift & ones, channels[c].bits);
    }
  }
}

// Pixels from the upper bits of each byte down. The index of the first colour that the palette does
// not have, or -1.
int unpack_indices(ByteSpan row, uint32_t bits, const std::vector<Rgb>& palette,
                   std::span<uint8_t> out) {
  const uint32_t per_byte = 8 / bits;
  for (size_t x = 0; x < out.size() / 3; ++x) {
    const auto byte = std::to_integer<uint32_t>(row[x / per_byte]);
    const auto shift = 8 - bits - static_cast<uint32_t>(x % per_byte) * bits;
    const uint32_t index = byte >> shift & ((1U << bits) - 1);
    if (index >= palette.size()) return static_cast<int>(index);
    std::copy(palette[index].begin(), palette[index].end(),
              out.begin() + static_cast<int64_t>(3 * x));
  }
  return -1;
}

// All that a bitmap says before its pixels.
struct Bitmap {
  Header header;
  Channels channels;         // of pixels with more than 8 bits
  std::vector<Rgb> palette;  // of the others
};

Result<Bitmap> read_bitmap(ByteReader& in, const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Header h, read_header(in));
  EDGETWIN_TRY(check_picture_size(h.width, h.height, file));
  if (std::string why = refusal(h); !why.empty()) return picture_error(std::move(why), file);
  Bitmap bitmap{h, {}, {}};
  if (h.bits > 8) {
    EDGETWIN_TRY_ASSIGN(bitmap.channels, read_channels(in, h, file));
  }
  const size_t headers_end = std::max(in.offset(), size_t{kFileHeaderSize} + h.size);
  EDGETWIN_TRY(in.skip(headers_end - in.offset(), "rest of the header"));
  if (h.pixels_at < headers_end) {
    return picture_error("the pixels of the bitmap begin inside its headers", file)
        .at_offset(10)
        .in_field("offset of the pixels");
  }
  if (h.bits <= 8) {
    EDGETWIN_TRY_ASSIGN(bitmap.palette, read_palette(in, h));
  }
  EDGETWIN_TRY(in.skip(h.pixels_at - in.offset(), "gap before the pixels"));
  return bitmap;
}

}  // namespace

bool looks_like_bmp(ByteSpan data) {
  if (data.size() < 18 || std::memcmp(data.data(), "BM", 2) != 0) return false;
  uint32_t size = 0;
  std::memcpy(&size, data.data() + kFileHeaderSize, sizeof(size));
  return std::find(kHeaderSizes.begin(), kHeaderSizes.end(), size) != kHeaderSizes.end();
}

Result<Tensor> decode_bmp(ByteSpan data, const std::string& file) {
  ByteReader in(data, file);
  EDGETWIN_TRY_ASSIGN(const Bitmap bitmap, read_bitmap(in, file));
  const Header& h = bitmap.header;
  const size_t width = static_cast<size_t>(h.width);
  const size_t height = static_cast<size_t>(h.height);
  const size_t row_size = (width * h.bits + 31) / 32 * 4;
  // All rows are there before memory is taken for them.
  EDGETWIN_TRY_ASSIGN(const ByteSpan rows, in.take(row_size * height, "pixels"));
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, Shape{h.height, h.width, 3}));
  for (size_t y = 0; y < height; ++y) {
    const ByteSpan row = rows.subspan((h.top_down ? y : height - 1 - y) * row_size, row_size);
    const auto out = picture.as<uint8_t>().subspan(y * width * 3, width * 3);
    if (h.bits > 8) {
      unpack_colours(row, h.bits / 8, bitmap.channels, out);
    } else if (const int missing = unpack_indices(row, h.bits, bitmap.palette, out); missing >= 0) {
      return picture_error("a pixel has colour " + std::to_string(missing) + " of a palette of " +
                               std::to_string(bitmap.palette.size()),
                           file)
          .at_offset(static_cast<uint64_t>(row.data() - data.data()))
          .in_field("pixels");
    }
  }
  return picture;
}

}  // namespace edgetwin
