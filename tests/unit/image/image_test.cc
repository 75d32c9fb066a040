#include "image/image.h"

#include <gtest/gtest.h>

namespace edgetwin {
namespace {

Tensor gradient(int64_t h, int64_t w, int64_t c) {
  Tensor t = Tensor::zeros(DType::uint8, {h, w, c}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(i * 7);
  return t;
}

template <class T>
void put(Bytes& out, T value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  out.insert(out.end(), raw.begin(), raw.end());
}

// An uncompressed 24-bit bitmap of 2x2 pixels, bottom row first as the format has it.
Bytes bitmap(int32_t width, int32_t height) {
  Bytes out = to_bytes(as_byte_span("BM"));
  put<uint32_t>(out, 54 + 16);
  put<uint32_t>(out, 0);
  put<uint32_t>(out, 54);
  put<uint32_t>(out, 40);
  put<int32_t>(out, width);
  put<int32_t>(out, height);
  put<uint16_t>(out, 1);
  put<uint16_t>(out, 24);
  for (int i = 0; i < 6; ++i) put<uint32_t>(out, 0);
  for (const int v : {1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0}) {
    put<uint8_t>(out, static_cast<uint8_t>(v));
  }
  return out;
}

TEST(Image, PngSurvivesTheRoundTrip) {
  for (const int64_t channels : {1, 3}) {
    const Tensor picture = gradient(5, 7, channels);
    const Bytes png = encode_png(picture).value();
    EXPECT_TRUE(looks_like_image(png));
    const Tensor back = decode_image(png, "a.png").value();
    EXPECT_EQ(back.shape, picture.shape);
    EXPECT_EQ(back.data, picture.data);
  }
}

TEST(Image, AlphaIsDropped) {
  const Tensor back = decode_image(encode_png(gradient(2, 2, 4)).value(), "a.png").value();
  EXPECT_EQ(back.shape, (Shape{2, 2, 3}));
  EXPECT_EQ(back.as<uint8_t>()[3], 4 * 7);
}

TEST(Image, BitmapsComeTopRowFirstAsRedGreenBlue) {
  const Tensor t = decode_image(bitmap(2, 2), "a.bmp").value();
  ASSERT_EQ(t.shape, (Shape{2, 2, 3}));
  const std::vector<uint8_t> expected = {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), t.as<uint8_t>().begin()));
}

TEST(Image, OtherFilesAreRefused) {
  EXPECT_FALSE(looks_like_image(as_byte_span("BM is how this text starts, but no bitmap")));
  EXPECT_FALSE(looks_like_image({}));
  const auto result = decode_image(as_byte_span("GIF89a"), "a.gif");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::image_decode);
  EXPECT_EQ(result.error().place.file, "a.gif");
}

TEST(Image, EveryTruncationEndsInAnErrorOrAPicture) {
  const Bytes png = encode_png(gradient(9, 9, 3)).value();
  for (size_t size = 0; size < png.size(); ++size) {
    const auto result = decode_image(ByteSpan(png).first(size), "a.png");
    if (result.ok()) continue;
    EXPECT_EQ(result.error().code, ErrorCode::image_decode) << size;
  }
}

TEST(Image, SizesAreLimitedBeforeDecoding) {
  const auto wide = decode_image(bitmap(16385, 1), "a.bmp");
  ASSERT_FALSE(wide.ok());
  const auto large = decode_image(bitmap(16384, 16384), "a.bmp");
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::out_of_memory);
}

TEST(Image, OnlyPicturesBecomePng) {
  EXPECT_FALSE(encode_png(Tensor::zeros(DType::int8, {2, 2, 3}).value()).ok());
  EXPECT_FALSE(encode_png(Tensor::zeros(DType::uint8, {2, 2}).value()).ok());
  EXPECT_FALSE(encode_png(Tensor::zeros(DType::uint8, {0, 2, 3}).value()).ok());
}

}  // namespace
}  // namespace edgetwin
