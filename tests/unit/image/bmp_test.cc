#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "unit/image/pictures.h"

namespace edgetwin {
namespace {

using pictures::Bitmap;
using pictures::samples;
using Samples = std::vector<uint8_t>;

constexpr uint32_t kBitfields = 3;

Error refused(const Bitmap& bitmap) {
  const auto result = decode_image(bitmap.file(), "a.bmp");
  EXPECT_FALSE(result.ok());
  return result.ok() ? Error() : result.error();
}

TEST(Bmp, ComesTopRowFirstAsRedGreenBlue) {
  const Tensor t = decode_image(pictures::bitmap(2, 2), "a.bmp").value();
  ASSERT_EQ(t.shape, (Shape{2, 2, 3}));
  const Samples expected = {9, 8, 7, 12, 11, 10, 3, 2, 1, 6, 5, 4};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), t.as<uint8_t>().begin()));
}

TEST(Bmp, NegativeHeightIsTopDown) {
  EXPECT_EQ(samples(pictures::bitmap(2, -2)), (Samples{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
}

TEST(Bmp, EveryHeaderSizeIsRead) {
  for (const uint32_t header : {12U, 40U, 52U, 56U, 64U, 108U, 124U}) {
    const Bitmap b{.header = header, .width = 1, .height = 1, .rows = {1, 2, 3, 0}};
    EXPECT_EQ(samples(b.file()), (Samples{3, 2, 1})) << header;
  }
}

TEST(Bmp, PalettesOfOneFourAndEightBits) {
  const Samples colours = {1, 2, 3, 0, 11, 12, 13, 0};
  const Samples expected = {13, 12, 11, 3, 2, 1, 13, 12, 11};
  Bitmap b{.width = 3, .height = 1, .bits = 1, .palette = colours, .rows = {0xA0, 0, 0, 0}};
  EXPECT_EQ(samples(b.file()), expected);
  b.bits = 4;
  b.rows = {0x10, 0x10, 0, 0};
  EXPECT_EQ(samples(b.file()), expected);
  b.bits = 8;
  b.rows = {1, 0, 1, 0};
  EXPECT_EQ(samples(b.file()), expected);
  b.header = 12;
  b.palette = {1, 2, 3, 11, 12, 13};
  EXPECT_EQ(samples(b.file()), expected);
}

TEST(Bmp, ColoursThatThePaletteLacksAreErrors) {
  Bitmap b{.width = 1, .height = 1, .bits = 8, .palette = Samples(8), .rows = {2, 0, 0, 0}};
  const Error error = refused(b);
  EXPECT_EQ(error.message, "a pixel has colour 2 of a palette of 2");
  EXPECT_EQ(error.place.offset, 62U);
  b.palette = Samples(1024);
  b.colours_used = 2;
  EXPECT_EQ(refused(b).message, error.message);
  b.colours_used = 0xFFFFFFFF;
  EXPECT_EQ(samples(b.file()), (Samples{0, 0, 0}));
}

TEST(Bmp, SixteenBitsAreFiveEachUnlessMasksSayOtherwise) {
  Bitmap b{.width = 2, .height = 1, .bits = 16, .rows = {0x1F, 0x7C, 0x21, 0x04}};
  EXPECT_EQ(samples(b.file()), (Samples{255, 0, 255, 8, 8, 8}));
  b.compression = kBitfields;
  b.masks = {0xF800, 0x07E0, 0x001F};
  b.rows = {0x00, 0xF8, 0x20, 0x00};
  EXPECT_EQ(samples(b.file()), (Samples{255, 0, 0, 0, 4, 0}));
  b.masks = {0x7C00, 0x03E0, 0x001F};
  b.rows = {0xE0, 0x03, 0x01, 0x00};
  EXPECT_EQ(samples(b.file()), (Samples{0, 255, 0, 0, 0, 8}));
}

TEST(Bmp, ThirtyTwoBitsDropTheFourthByte) {
  Bitmap b{.width = 1, .height = 2, .bits = 32, .rows = {1, 2, 3, 9, 4, 5, 6, 0}};
  EXPECT_EQ(samples(b.file()), (Samples{6, 5, 4, 3, 2, 1}));
  b.compression = kBitfields;
  b.masks = {0xFF, 0xFF00, 0xFF0000};
  EXPECT_EQ(samples(b.file()), (Samples{4, 5, 6, 1, 2, 3}));
  b.header = 124;
  EXPECT_EQ(samples(b.file()), (Samples{4, 5, 6, 1, 2, 3}));
  b.header = 40;
  b.compression = 6;
  b.masks.push_back(0xFF000000);
  EXPECT_EQ(samples(b.file()), (Samples{4, 5, 6, 1, 2, 3}));
  // Ten bits: the upper eight stay.
  b = {.width = 1, .height = 1, .bits = 32, .compression = kBitfields};
  b.masks = {0x3FF00000, 0x000FFC00, 0x000003FF};
  b.rows = {0x03, 0xFC, 0x0F, 0x20};
  EXPECT_EQ(samples(b.file()), (Samples{128, 255, 0}));
}

TEST(Bmp, MasksThatMakeNoSenseAreRefused) {
  Bitmap b{.width = 1, .height = 1, .bits = 16, .compression = kBitfields, .rows = Samples(4)};
  for (const auto& masks : std::vector<std::vector<uint32_t>>{{0xF800, 0x07E0, 0},
                                                              {0xF800, 0x07E0, 0x3F},
                                                              {0xF800, 0x07E0, 0x15},
                                                              {0x1F0000, 0x07E0, 0x1F}}) {
    b.masks = masks;
    const Error error = refused(b);
    EXPECT_EQ(error.place.field, "colour masks");
    EXPECT_EQ(error.place.offset, 54U);
  }
}

TEST(Bmp, CompressionIsRefusedByName) {
  Bitmap b{.width = 1, .height = 1, .bits = 8, .compression = 1, .rows = Samples(4)};
  EXPECT_NE(refused(b).message.find("RLE"), std::string::npos);
  for (const uint32_t compression : {4U, 5U, 7U}) {
    b.compression = compression;
    EXPECT_NE(refused(b).message.find("has compression"), std::string::npos);
  }
  b.compression = kBitfields;
  EXPECT_NE(refused(b).message.find("colour masks for 8 bits"), std::string::npos);
  b.header = 64;
  EXPECT_NE(refused(b).message.find("has compression 3"), std::string::npos);
  b = {.width = 1, .height = 1, .bits = 2, .rows = Samples(4)};
  EXPECT_NE(refused(b).message.find("2 bits per pixel"), std::string::npos);
}

TEST(Bmp, PixelsMayStandBehindAGapButNotInTheHeader) {
  Bitmap b{.width = 1, .height = 1, .rows = {9, 9, 1, 2, 3, 0}, .pixels_at = 56};
  EXPECT_EQ(samples(b.file()), (Samples{3, 2, 1}));
  b.pixels_at = 53;
  EXPECT_EQ(refused(b).place.field, "offset of the pixels");
}

TEST(Bmp, MissingPixelsAreAnErrorWithItsPlace) {
  const Bytes whole = pictures::bitmap(2, 2);
  const auto result = decode_image(ByteSpan(whole).first(whole.size() - 3), "a.bmp");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::image_decode);
  EXPECT_EQ(result.error().message, "the picture ends too early: 16 bytes wanted, 13 left");
  EXPECT_EQ(result.error().place.offset, 54U);
  EXPECT_EQ(result.error().place.field, "pixels");
}

TEST(Bmp, ExtremeSizesAreErrors) {
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(refused({.height = kLowest}).code, ErrorCode::out_of_memory);
  EXPECT_EQ(refused({.width = kLowest}).code, ErrorCode::image_decode);
  EXPECT_EQ(refused({.height = 0}).code, ErrorCode::image_decode);
}

TEST(Bmp, FilesOfOtherProgramsAreRead) {
  const char* folder = std::getenv("EDGETWIN_SHARED_DATA");
  if (folder == nullptr) GTEST_SKIP() << "EDGETWIN_SHARED_DATA does not name the folder of models";
  int count = 0;
  const auto pictures = std::filesystem::path(folder) / "edgetpu/models/coral_test_data";
  for (const auto& entry : std::filesystem::directory_iterator(pictures)) {
    if (entry.path().extension() != ".bmp") continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(in), {});
    const auto picture = decode_image(as_byte_span(content), entry.path().filename());
    EXPECT_TRUE(picture.ok()) << to_text(picture.error());
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace edgetwin
