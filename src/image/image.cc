#include "image/image.h"

#include <algorithm>
#include <array>

#include "image/stb.h"

namespace edgetwin {
namespace {

constexpr std::array<unsigned char, 8> kPngMagic = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::array<unsigned char, 3> kJpegMagic = {0xFF, 0xD8, 0xFF};
constexpr std::array<uint32_t, 7> kBmpHeaderSizes = {12, 40, 52, 56, 64, 108, 124};

template <size_t N>
bool starts_with(ByteSpan data, const std::array<unsigned char, N>& magic) {
  return data.size() >= N && std::memcmp(data.data(), magic.data(), N) == 0;
}

bool looks_like_bmp(ByteSpan data) {
  if (data.size() < 18 || std::memcmp(data.data(), "BM", 2) != 0) return false;
  uint32_t header = 0;
  std::memcpy(&header, data.data() + 14, sizeof(header));
  return std::find(kBmpHeaderSizes.begin(), kBmpHeaderSizes.end(), header) != kBmpHeaderSizes.end();
}

Error decode_error(const std::string& what, const std::string& file) {
  return Error(ErrorCode::image_decode, what).in_file(file);
}

std::string decoder_said() {
  const std::string reason = stb::failure_reason();
  return reason.empty() ? "the picture is damaged or incomplete"
                        : "the picture cannot be decoded: the decoder said '" + reason + "'";
}

Status check_size(const stb::Size& size, const std::string& file) {
  const int64_t pixels = int64_t{size.width} * size.height;
  if (size.width < 1 || size.height < 1) return decode_error("the picture has no pixels", file);
  if (std::max(size.width, size.height) <= kMaxPictureSide && pixels <= kMaxPicturePixels) {
    return Ok{};
  }
  return Error(ErrorCode::out_of_memory, "the picture has " + std::to_string(size.width) + " x " +
                                             std::to_string(size.height) +
                                             " pixels; the limits are " +
                                             std::to_string(kMaxPictureSide) + " per side and " +
                                             std::to_string(kMaxPicturePixels) + " in all")
      .in_file(file);
}

// What a well-formed picture of this size can need in one piece, with room for 16-bit samples.
size_t memory_limit(const stb::Size& size, size_t file_size) {
  const auto pixels = static_cast<size_t>(size.width + 16) * static_cast<size_t>(size.height + 16);
  return 16 * pixels + 2 * file_size + (size_t{1} << 20);
}

}  // namespace

bool looks_like_image(ByteSpan data) {
  return starts_with(data, kPngMagic) || starts_with(data, kJpegMagic) || looks_like_bmp(data);
}

Result<Tensor> decode_image(ByteSpan data, const std::string& file) {
  if (!looks_like_image(data)) {
    return decode_error("the file is neither PNG, JPEG nor BMP", file);
  }
  stb::Size size;
  if (!stb::read_size(data, size)) return decode_error(decoder_said(), file);
  EDGETWIN_TRY(check_size(size, file));
  const int channels = size.channels <= 2 ? 1 : 3;
  const stb::Size announced = size;
  const stb::Buffer pixels = stb::decode(data, channels, memory_limit(size, data.size()), size);
  if (!pixels) return decode_error(decoder_said(), file);
  if (size.width != announced.width || size.height != announced.height) {
    return decode_error("the picture's header contradicts its content", file);
  }
  EDGETWIN_TRY_ASSIGN(Tensor picture,
                      Tensor::zeros(DType::uint8, Shape{size.height, size.width, channels}));
  std::memcpy(picture.data.data(), pixels.get(), picture.data.size());
  return picture;
}

Result<Bytes> encode_png(const Tensor& picture) {
  const Shape& s = picture.shape;
  const bool fits = picture.dtype == DType::uint8 && s.rank() == 3 &&
                    (s[2] == 1 || s[2] == 3 || s[2] == 4) && s[0] > 0 && s[1] > 0 &&
                    s[0] <= kMaxPictureSide && s[1] <= kMaxPictureSide &&
                    s[0] * s[1] <= kMaxPicturePixels;
  if (!fits) {
    return Error(ErrorCode::image_decode, "a tensor of " + to_string(s) + " " +
                                              std::string(name(picture.dtype)) +
                                              " cannot be written as PNG")
        .with_hint("A picture is uint8, height x width x 1, 3 or 4.");
  }
  int length = 0;
  const stb::Size size{static_cast<int>(s[1]), static_cast<int>(s[0]), static_cast<int>(s[2])};
  const stb::Buffer png = stb::encode_png(picture.as<uint8_t>().data(), size, length);
  if (!png) return Error(ErrorCode::out_of_memory, "the picture cannot be compressed");
  const auto* begin = reinterpret_cast<const std::byte*>(png.get());
  return Bytes(begin, begin + length);
}

}  // namespace edgetwin
