#include "image/jpeg.h"

#include <turbojpeg.h>

#include <array>
#include <memory>

#include "image/picture.h"

namespace edgetwin {
namespace {

constexpr std::array<unsigned char, 3> kJpegMagic = {0xFF, 0xD8, 0xFF};

struct Destroy {
  void operator()(void* decoder) const { tjDestroy(decoder); }
};
using Decoder = std::unique_ptr<void, Destroy>;

const unsigned char* raw(ByteSpan data) {
  return reinterpret_cast<const unsigned char*>(data.data());
}

Error turbojpeg_error(const Decoder& decoder, const std::string& file) {
  return picture_error(
      std::string("the picture cannot be decoded: ") + tjGetErrorStr2(decoder.get()), file);
}

struct JpegHeader {
  int width = -1;
  int height = -1;
  int sampling = -1;
  int colours = -1;
};

Result<JpegHeader> read_header(const Decoder& decoder, ByteSpan data, const std::string& file) {
  JpegHeader h;
  const int status = tjDecompressHeader3(decoder.get(), raw(data), data.size(), &h.width, &h.height,
                                         &h.sampling, &h.colours);
  // A chroma sampling that has no name in TurboJPEG is an error there, but only in this call.
  const bool unnamed = h.sampling < 0 && h.width > 0 && h.height > 0 && h.colours >= 0;
  if (status != 0 && !unnamed) return turbojpeg_error(decoder, file);
  if (h.colours == TJCS_CMYK || h.colours == TJCS_YCCK) {
    return picture_error("the picture has the four printing colours (CMYK), not RGB or grey", file)
        .with_hint("Convert the picture to RGB.");
  }
  return h;
}

}  // namespace

bool looks_like_jpeg(ByteSpan data) {
  return data.size() >= kJpegMagic.size() && std::memcmp(data.data(), kJpegMagic.data(), 3) == 0;
}

Result<Tensor> decode_jpeg(ByteSpan data, const std::string& file) {
  const Decoder decoder(tjInitDecompress());
  if (!decoder) {
    return Error(ErrorCode::out_of_memory, "there is not enough memory for the picture")
        .in_file(file);
  }
  EDGETWIN_TRY_ASSIGN(const JpegHeader h, read_header(decoder, data, file));
  EDGETWIN_TRY(check_picture_size(h.width, h.height, file));
  const bool grey = h.colours == TJCS_GRAY;
  EDGETWIN_TRY_ASSIGN(Tensor picture,
                      Tensor::zeros(DType::uint8, Shape{h.height, h.width, grey ? 1 : 3}));
  // Warnings are errors: what TurboJPEG makes of a damaged picture is half a picture.
  constexpr int kFlags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING;
  const int status =
      tjDecompress2(decoder.get(), raw(data), data.size(), picture.as<uint8_t>().data(), h.width, 0,
                    h.height, grey ? TJPF_GRAY : TJPF_RGB, kFlags);
  if (status != 0) return turbojpeg_error(decoder, file);
  return picture;
}

Result<Bytes> encode_jpeg(const Tensor& picture, int quality) {
  const Shape& s = picture.shape;
  if (picture.dtype != DType::uint8 || s.rank() != 3 || (s[2] != 1 && s[2] != 3)) {
    return picture_error("a picture of " + to_string(s) + " cannot be a JPEG", "");
  }
  EDGETWIN_TRY(check_picture_size(s[1], s[0], ""));
  const Decoder encoder(tjInitCompress());
  unsigned char* out = nullptr;
  unsigned long size = 0;  // NOLINT: TurboJPEG's own type
  const bool grey = s[2] == 1;
  if (!encoder || tjCompress2(encoder.get(), raw(picture.data), static_cast<int>(s[1]), 0,
                              static_cast<int>(s[0]), grey ? TJPF_GRAY : TJPF_RGB, &out, &size,
                              grey ? TJSAMP_GRAY : TJSAMP_420, quality, TJFLAG_ACCURATEDCT) != 0) {
    tjFree(out);
    return Error(ErrorCode::out_of_memory, "there is not enough memory for the picture");
  }
  const auto* begin = reinterpret_cast<const std::byte*>(out);
  Bytes bytes(begin, begin + size);
  tjFree(out);
  return bytes;
}

}  // namespace edgetwin
