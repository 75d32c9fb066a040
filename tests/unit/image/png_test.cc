#include <gtest/gtest.h>

#include "unit/image/pictures.h"

namespace edgetwin {
namespace {

using pictures::gradient;
using pictures::Png;
using pictures::samples;
using Samples = std::vector<uint8_t>;

Error refused_png(const Bytes& file) {
  const auto result = decode_image(file, "a.png");
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error() : result.error();
}

TEST(Png, SurvivesTheRoundTrip) {
  for (const int64_t channels : {1, 3}) {
    const Tensor picture = gradient(5, 7, channels);
    const Bytes png = encode_png(picture).value();
    EXPECT_TRUE(looks_like_image(png));
    const Tensor back = decode_image(png, "a.png").value();
    EXPECT_EQ(back.shape, picture.shape);
    EXPECT_EQ(back.data, picture.data);
    EXPECT_EQ(encode_png(back).value(), png);
  }
}

TEST(Png, ColourThatLooksGreyStaysColour) {
  const Tensor grey = Tensor::zeros(DType::uint8, {4, 4, 3}).value();
  EXPECT_EQ(decode_image(encode_png(grey).value(), "a.png").value().shape, grey.shape);
}

TEST(Png, AlphaIsDropped) {
  const Tensor back = decode_image(encode_png(gradient(2, 2, 4)).value(), "a.png").value();
  EXPECT_EQ(back.shape, (Shape{2, 2, 3}));
  EXPECT_EQ(back.as<uint8_t>()[3], 4 * 7);
  const Png rgb{.colour_type = 6, .rows = {0, 10, 20, 30, 0, 40, 50, 60, 7}};
  EXPECT_EQ(samples(rgb.file()), (Samples{10, 20, 30, 40, 50, 60}));
  const Png grey{.colour_type = 4, .rows = {0, 10, 0, 20, 9}};
  EXPECT_EQ(samples(grey.file()), (Samples{10, 20}));
}

TEST(Png, SixteenBitsKeepTheUpperEight) {
  const Png grey{.bits = 16, .rows = {0, 0x12, 0xFF, 0x80, 0x00}};
  EXPECT_EQ(samples(grey.file()), (Samples{0x12, 0x80}));
  const Png rgb{.width = 1, .bits = 16, .colour_type = 2, .rows = {0, 1, 200, 2, 200, 3, 200}};
  EXPECT_EQ(samples(rgb.file()), (Samples{1, 2, 3}));
  const Png alpha{.width = 1, .bits = 16, .colour_type = 4, .rows = {0, 7, 255, 0, 1}};
  EXPECT_EQ(samples(alpha.file()), (Samples{7}));
}

TEST(Png, FewBitsAreSpreadToEight) {
  EXPECT_EQ(samples(Png{.bits = 1, .rows = {0, 0x40}}.file()), (Samples{0, 255}));
  EXPECT_EQ(samples(Png{.bits = 2, .rows = {0, 0x60}}.file()), (Samples{85, 170}));
  EXPECT_EQ(samples(Png{.bits = 4, .rows = {0, 0x1F}}.file()), (Samples{17, 255}));
}

TEST(Png, PalettesBecomeColours) {
  const Samples colours = {1, 2, 3, 4, 5, 6};
  const Png two{.bits = 1, .colour_type = 3, .rows = {0, 0x40}, .palette = colours};
  EXPECT_EQ(samples(two.file()), (Samples{1, 2, 3, 4, 5, 6}));
  const Png many{.colour_type = 3, .rows = {0, 1, 0}, .palette = colours};
  EXPECT_EQ(samples(many.file()), (Samples{4, 5, 6, 1, 2, 3}));
  const Png beyond{.colour_type = 3, .rows = {0, 1, 2}, .palette = colours};
  EXPECT_EQ(samples(beyond.file()), (Samples{4, 5, 6, 0, 0, 0}));
  const Png none{.colour_type = 3, .rows = {0, 1, 0}};
  EXPECT_EQ(refused_png(none.file()).code, ErrorCode::image_decode);
}

TEST(Png, OnlyCriticalChunksAreRead) {
  for (const char* type : {"gAMA", "iCCP", "tRNS", "zTXt", "pHYs", "teST"}) {
    EXPECT_EQ(samples(Png{.rows = {0, 5, 6}, .extra = type}.file()), (Samples{5, 6})) << type;
  }
  const Png unknown{.rows = {0, 5, 6}, .extra = "TEST"};
  EXPECT_EQ(refused_png(unknown.file()).code, ErrorCode::image_decode);
}

TEST(Png, RowsMustFillThePictureExactly) {
  for (const Samples& rows :
       {Samples{0, 1}, Samples{0, 1, 2, 3}, Samples(40000), Samples{5, 1, 2}}) {
    EXPECT_EQ(refused_png(Png{.rows = rows}.file()).code, ErrorCode::image_decode);
  }
}

TEST(Png, ChecksumsMustFit) {
  const Bytes good = Png{.rows = {0, 1, 2}}.file();
  for (size_t i = 8; i < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= std::byte{1};
    EXPECT_FALSE(decode_image(bad, "a.png").ok()) << i;
  }
}

TEST(Png, TruncationNamesItsPlace) {
  const Bytes whole = Png{.rows = {0, 1, 2}}.file();
  const Error error = refused_png(to_bytes(ByteSpan(whole).first(whole.size() - 1)));
  EXPECT_EQ(error.message, "the picture ends too early: 4 bytes wanted, 3 left");
  EXPECT_EQ(error.place.offset, whole.size() - 4);
  EXPECT_EQ(error.place.field, "content and checksum of a chunk");
}

TEST(Png, SizesAreLimitedBeforeDecoding) {
  for (const uint32_t side : {16385U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
    EXPECT_EQ(refused_png(Png{.width = side}.file()).code, ErrorCode::out_of_memory);
  }
  EXPECT_EQ(refused_png(Png{.width = 16384, .height = 16384}.file()).code,
            ErrorCode::out_of_memory);
  EXPECT_EQ(refused_png(Png{.width = 0}.file()).code, ErrorCode::image_decode);
}

TEST(Png, OnlyPicturesAreWritten) {
  EXPECT_FALSE(encode_png(Tensor::zeros(DType::int8, {2, 2, 3}).value()).ok());
  EXPECT_FALSE(encode_png(Tensor::zeros(DType::uint8, {2, 2}).value()).ok());
  EXPECT_FALSE(encode_png(Tensor::zeros(DType::uint8, {0, 2, 3}).value()).ok());
}

}  // namespace
}  // namespace edgetwin
