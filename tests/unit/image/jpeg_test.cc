#include <gtest/gtest.h>

#include "unit/image/pictures.h"

namespace edgetwin {
namespace {

using pictures::jpeg;

// 16 x 8 red pixels as TurboJPEG 2.1.5 writes them at quality 90: progressive, 4:2:0.
constexpr std::string_view kProgressive =
    "FFD8FFE000104A46494600010100000100010000FFDB004300030202030202030303030403030405080505040405"
    "0A070706080C0A0C0C0B0A0B0B0D0E12100D0E110E0B0B1016101113141515150C0F171816141812141514FFDB00"
    "430103040405040509050509140D0B0D141414141414141414141414141414141414141414141414141414141414"
    "1414141414141414141414141414141414141414FFC20011080008001003012200021101031101FFC40015000101"
    "00000000000000000000000000000007FFC4001501010100000000000000000000000000000608FFDA000C030100"
    "021003100000019C80B54FFFC40014100100000000000000000000000000000010FFDA00080101000105023FFFC4"
    "0014110100000000000000000000000000000000FFDA0008010301013F017FFFC400141101000000000000000000"
    "00000000000000FFDA0008010201013F017FFFC40014100100000000000000000000000000000010FFDA00080101"
    "00063F023FFFC40014100100000000000000000000000000000010FFDA0008010100013F213FFFDA000C03010002"
    "000300000010FF00FFC40014110100000000000000000000000000000000FFDA0008010301013F107FFFC4001411"
    "0100000000000000000000000000000000FFDA0008010201013F107FFFC400141001000000000000000000000000"
    "00000010FFDA0008010100013F103FFFD9";

Bytes from_hex(std::string_view digits) {
  Bytes out;
  for (size_t i = 0; i < digits.size(); i += 2) {
    pictures::put(out,
                  static_cast<uint8_t>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

void expect_pixels(const Bytes& file, const Shape& shape, const std::vector<uint8_t>& pixel) {
  const auto picture = decode_image(file, "a.jpg");
  ASSERT_TRUE(picture.ok()) << to_text(picture.error());
  EXPECT_EQ(picture.value().shape, shape);
  const auto all = picture.value().as<uint8_t>();
  for (size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], pixel[i % pixel.size()]) << i;
}

Error refused(const Bytes& file) {
  const auto result = decode_image(file, "a.jpg");
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error() : result.error();
}

TEST(Jpeg, GreyStaysOneChannel) {
  expect_pixels(jpeg({72}), Shape{8, 8, 1}, {200});
  expect_pixels(jpeg({-127}, 5, 3), Shape{3, 5, 1}, {1});
}

TEST(Jpeg, ColourBecomesRedGreenBlue) {
  // Y 76, Cb 85, Cr 255: red 76 + 1.402 * 127, green 76 + 0.344 * 43 - 0.714 * 127, blue 76 - 1.772
  // * 43.
  expect_pixels(jpeg({-52, -43, 127}), Shape{8, 8, 3}, {254, 0, 0});
  expect_pixels(jpeg({0, 0, 0}, 8, 1), Shape{1, 8, 3}, {128, 128, 128});
}

TEST(Jpeg, ProgressiveWithSparseChroma) {
  expect_pixels(from_hex(kProgressive), Shape{8, 16, 3}, {254, 0, 0});
}

TEST(Jpeg, SamplingsWithoutANameAreRead) {
  // The third component has twice the height of the others: two of its blocks in the one unit.
  expect_pixels(jpeg({-52, -43, 127, 0}, 8, 16, {0x11, 0x11, 0x12}), Shape{16, 8, 3}, {254, 0, 0});
}

TEST(Jpeg, PrintingColoursAreRefused) {
  const Error error = refused(jpeg({0, 0, 0, 0}));
  EXPECT_EQ(error.code, ErrorCode::image_decode);
  EXPECT_NE(error.message.find("CMYK"), std::string::npos);
}

TEST(Jpeg, HalfAPictureIsAnError) {
  for (const Bytes& whole : {jpeg({72}), jpeg({-52, -43, 127}), from_hex(kProgressive)}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      const Error error = refused(to_bytes(ByteSpan(whole).first(size)));
      EXPECT_EQ(error.code, ErrorCode::image_decode) << size;
    }
  }
}

TEST(Jpeg, DamageThatADecoderWouldPaintOverIsAnError) {
  Bytes file = jpeg({72}, 16, 8);  // the second block is missing
  EXPECT_EQ(refused(file).code, ErrorCode::image_decode);
}

TEST(Jpeg, SizesAreLimitedBeforeDecoding) {
  EXPECT_EQ(refused(jpeg({72}, 16385, 1)).code, ErrorCode::out_of_memory);
  EXPECT_EQ(refused(jpeg({72}, 16384, 16384)).code, ErrorCode::out_of_memory);
  EXPECT_EQ(refused(jpeg({72}, 0, 8)).code, ErrorCode::image_decode);
}

}  // namespace
}  // namespace edgetwin
