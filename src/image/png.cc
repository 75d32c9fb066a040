#include "image/png.h"

#include <lodepng.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "image/picture.h"

namespace edgetwin {
namespace {

constexpr std::array<unsigned char, 8> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr unsigned kAllocationFailed = 83;  // lodepng's number for it

struct Free {
  void operator()(unsigned char* p) const { std::free(p); }
};
using Buffer = std::unique_ptr<unsigned char, Free>;

const unsigned char* png_bytes(ByteSpan data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

Error lodepng_error(unsigned code, const std::string& file) {
  if (code == kAllocationFailed) {
    return Error(ErrorCode::out_of_memory, "there is not enough memory for the picture")
        .in_file(file);
  }
  return picture_error(std::string("the picture cannot be decoded: ") + lodepng_error_text(code),
                       file);
}

uint32_t big_endian(ByteSpan four) {
  uint32_t value = 0;
  for (const std::byte b : four) value = value << 8 | std::to_integer<uint32_t>(b);
  return value;
}

// The file without its ancillary chunks: texts, colour profiles and the like say nothing about the
// samples, so damage in them does no harm, and no code has to read them.
Result<Bytes> critical_chunks(ByteSpan data, const std::string& file) {
  constexpr auto kAncillaryBit = std::byte{0x20};
  ByteReader in(data, file);
  EDGETWIN_TRY_ASSIGN(const ByteSpan magic, in.take(kPngMagic.size(), "signature"));
  Bytes kept = to_bytes(magic);
  for (bool end = false; !end;) {
    const size_t start = in.offset();
    EDGETWIN_TRY_ASSIGN(const ByteSpan length, in.take(4, "length of a chunk"));
    EDGETWIN_TRY_ASSIGN(const ByteSpan type, in.take(4, "type of a chunk"));
    EDGETWIN_TRY(in.skip(size_t{big_endian(length)} + 4, "content and checksum of a chunk"));
    end = as_text(type) == "IEND";
    if ((type[0] & kAncillaryBit) != std::byte{0}) continue;
    const ByteSpan chunk = data.subspan(start, in.offset() - start);
    kept.insert(kept.end(), chunk.begin(), chunk.end());
  }
  return kept;
}

// At least the size of the unpacked rows with their filter bytes, also where they are interlaced.
size_t unpacked_limit(const LodePNGColorMode& stored, size_t width, size_t height) {
  return height * (width * lodepng_get_bpp(&stored) / 8 + 1) + 4 * (height + 8);
}

Result<Tensor> copy_picture(const Buffer& pixels, const Shape& shape) {
  EDGETWIN_TRY_ASSIGN(Tensor picture, Tensor::zeros(DType::uint8, shape));
  std::memcpy(picture.data.data(), pixels.get(), picture.data.size());
  return picture;
}

}  // namespace

bool looks_like_png(ByteSpan data) {
  return data.size() >= kPngMagic.size() && std::memcmp(data.data(), kPngMagic.data(), 8) == 0;
}

Result<Tensor> decode_png(ByteSpan data, const std::string& file) {
  lodepng::State state;
  unsigned width = 0;
  unsigned height = 0;
  unsigned code = lodepng_inspect(&width, &height, &state, png_bytes(data), data.size());
  if (code != 0) return lodepng_error(code, file);
  EDGETWIN_TRY(check_picture_size(width, height, file));
  EDGETWIN_TRY_ASSIGN(const Bytes chunks, critical_chunks(data, file));

  const bool grey = lodepng_is_greyscale_type(&state.info_png.color) != 0;
  state.info_raw.colortype = grey ? LCT_GREY : LCT_RGB;
  state.info_raw.bitdepth = 8;
  state.decoder.zlibsettings.max_output_size = unpacked_limit(state.info_png.color, width, height);
  unsigned char* decoded = nullptr;
  code = lodepng_decode(&decoded, &width, &height, &state, png_bytes(chunks), chunks.size());
  const Buffer pixels(decoded);
  if (code != 0) return lodepng_error(code, file);
  return copy_picture(pixels, Shape{height, width, grey ? 1 : 3});
}

Result<Bytes> compress_png(const Tensor& picture) {
  lodepng::State state;
  const int64_t channels = picture.shape[2];
  state.info_raw.colortype = channels == 1 ? LCT_GREY : channels == 3 ? LCT_RGB : LCT_RGBA;
  state.info_raw.bitdepth = 8;
  state.info_png.color.colortype = state.info_raw.colortype;
  state.info_png.color.bitdepth = 8;
  state.encoder.auto_convert = 0;  // the channels stay what they are
  unsigned char* encoded = nullptr;
  size_t size = 0;
  const unsigned code = lodepng_encode(&encoded, &size, picture.as<uint8_t>().data(),
                                       static_cast<unsigned>(picture.shape[1]),
                                       static_cast<unsigned>(picture.shape[0]), &state);
  const Buffer png(encoded);
  if (code != 0) return Error(ErrorCode::out_of_memory, "the picture cannot be compressed");
  const auto* begin = reinterpret_cast<const std::byte*>(png.get());
  return Bytes(begin, begin + size);
}

}  // namespace edgetwin
