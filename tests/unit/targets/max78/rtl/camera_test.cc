// Words out of a camera's signals, by hand, and signals that are none.
#include "targets/max78/rtl/camera.h"

#include <gtest/gtest.h>

namespace edgetwin::max78 {
namespace {

const std::string kHead = "vsync,href,pclk,d\n";

std::string byte(const std::string& hex) {
  return "0,1,0," + hex + "\n0,1,1," + hex + "\n0,1,1," + hex + "\n0,1,0," + hex + "\n";
}
const std::string kGap = "0,0,0,00\n0,0,1,00\n";

TEST(RtlCamera, WordsOf888) {
  const auto words =
      camera_words(kHead + kGap + byte("88") + byte("3f") + byte("84") + kGap, "c", 1, 1, 888);
  ASSERT_TRUE(words.ok()) << to_text(words.error());
  EXPECT_EQ(*words, std::vector<uint32_t>{0x843f88U});
}

TEST(RtlCamera, LostBitsAreZero) {
  // 10001 001111 10000 and 0 10001 00111 10000.
  const auto six = camera_words(kHead + byte("89") + byte("f0"), "c", 1, 1, 565);
  const auto five = camera_words(kHead + byte("44") + byte("f0"), "c", 1, 1, 555);
  ASSERT_TRUE(six.ok() && five.ok());
  EXPECT_EQ(*six, std::vector<uint32_t>{0x803c88U});
  EXPECT_EQ(*five, std::vector<uint32_t>{0x803888U});
}

TEST(RtlCamera, PlanesTakeFourPixels) {
  std::string row;
  for (const char* v : {"01", "11", "02", "12", "03", "13", "04", "14"}) row += byte(v);
  const auto words = camera_words(kHead + row, "c", 1, 2, 888);
  ASSERT_TRUE(words.ok());
  EXPECT_EQ(*words, (std::vector<uint32_t>{0x04030201U, 0x14131211U}));
}

TEST(RtlCamera, WrongSignals) {
  const std::string good = byte("01");
  for (const std::string& text :
       {std::string(), std::string("vsync,href,d\n"), kHead + "2,0,0,00\n", kHead + "0,0,0,0\n",
        kHead + "0,0,0,000\n", kHead + "0,0,0,zz\n", kHead + "0,1,0,01", kHead + kGap,
        kHead + good + good + kGap + good}) {
    EXPECT_FALSE(camera_words(text, "c", 2, 1, 888).ok()) << text;
  }
}

}  // namespace
}  // namespace edgetwin::max78
