// What holds for every format; png_test.cc, jpeg_test.cc and bmp_test.cc have the rest.
#include "image/image.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "unit/image/pictures.h"

namespace edgetwin {
namespace {

using pictures::gradient;

std::vector<Bytes> one_of_each() {
  pictures::Bitmap indexed{.width = 5, .height = 2, .bits = 4};
  indexed.palette.resize(64, 9);
  indexed.rows.resize(8, 0x5A);
  pictures::Bitmap masked{.header = 108, .width = 3, .height = -2, .bits = 16, .compression = 3};
  masked.masks = {0xF800, 0x07E0, 0x001F};
  masked.rows.resize(16, 0x77);
  pictures::Png palette{
      .bits = 1, .colour_type = 3, .rows = {0, 0x40}, .palette = {1, 2, 3, 4, 5, 6}};
  return {encode_png(gradient(9, 9, 3)).value(),
          palette.file(),
          pictures::jpeg({72}),
          pictures::jpeg({-52, -43, 127}),
          pictures::bitmap(2, 2),
          indexed.file(),
          masked.file()};
}

bool whole(const Tensor& t) {
  return t.dtype == DType::uint8 && t.shape.rank() == 3 && (t.shape[2] == 1 || t.shape[2] == 3) &&
         t.data.size() == static_cast<size_t>(t.shape.elements());
}

TEST(Image, OtherFilesAreRefused) {
  EXPECT_FALSE(looks_like_image(as_byte_span("BM is how this text starts, but no bitmap")));
  EXPECT_FALSE(looks_like_image({}));
  const auto result = decode_image(as_byte_span("GIF89a"), "a.gif");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::image_decode);
  EXPECT_EQ(result.error().place.file, "a.gif");
}

TEST(Image, EveryTruncationIsAnError) {
  for (const Bytes& file : one_of_each()) {
    ASSERT_TRUE(decode_image(file, "a").ok());
    for (size_t size = 0; size < file.size(); ++size) {
      // A copy of its own, so that a sanitizer sees every read beyond it.
      const Bytes cut = to_bytes(ByteSpan(file).first(size));
      const auto result = decode_image(cut, "a");
      ASSERT_FALSE(result.ok()) << size;
      EXPECT_EQ(result.error().code, ErrorCode::image_decode) << size;
      EXPECT_EQ(result.error().place.file, "a");
    }
  }
}

TEST(Image, BytesBehindThePictureAreIgnored) {
  for (Bytes file : one_of_each()) {
    const Tensor picture = decode_image(file, "a").value();
    file.resize(file.size() + 5, std::byte{0xAA});
    const auto longer = decode_image(file, "a");
    ASSERT_TRUE(longer.ok());
    EXPECT_EQ(longer.value().data, picture.data);
  }
}

TEST(Image, DamageEndsInAnErrorOrAPicture) {
  XorShift32 random(20);
  for (const Bytes& file : one_of_each()) {
    for (int round = 0; round < 2000; ++round) {
      Bytes damaged = file;
      for (int64_t flips = 1 + round % 4; flips > 0; --flips) {
        damaged[random.next() % damaged.size()] = std::byte{random.byte()};
      }
      const auto result = decode_image(damaged, "a");
      if (result.ok()) {
        ASSERT_TRUE(whole(result.value()));
      } else {
        ASSERT_TRUE(result.error().code == ErrorCode::image_decode ||
                    result.error().code == ErrorCode::out_of_memory)
            << to_text(result.error());
      }
    }
  }
}

TEST(Image, SizesAreLimitedBeforeDecoding) {
  const auto wide = decode_image(pictures::bitmap(16385, 1), "a.bmp");
  ASSERT_FALSE(wide.ok());
  const auto large = decode_image(pictures::bitmap(16384, 16384), "a.bmp");
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::out_of_memory);
  EXPECT_EQ(
      large.error().message,
      "the picture has 16384 x 16384 pixels; the limits are 16384 per side and 67108864 in all");
}

}  // namespace
}  // namespace edgetwin
