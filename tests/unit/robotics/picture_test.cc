#include <algorithm>

#include "robotics/picture.h"

#include "robotics/tools.h"

namespace edgetwin::robotics {
namespace {

using testing::code_of;
using testing::picture;

TEST(ModulesPicture, BlocksAreCutOffMeans) {
  Tensor p = picture(2, 4, 1, 0);
  const std::vector<uint8_t> values = {1, 2, 10, 20, 3, 5, 30, 41};
  std::copy(values.begin(), values.end(), p.as<uint8_t>().begin());
  const auto r = resize_by_area(p, 1, 2);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->as<uint8_t>()[0], 2);   // 11 / 4
  EXPECT_EQ(r->as<uint8_t>()[1], 25);  // 101 / 4
}

TEST(ModulesPicture, TheLastCellEndsWithThePicture) {
  Tensor p = picture(1, 5, 1, 0);
  for (size_t i = 0; i < 5; ++i) p.as<uint8_t>()[i] = static_cast<uint8_t>(10 * i);
  const auto r = resize_by_area(p, 1, 2);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->as<uint8_t>()[0], 5);   // columns 0, 1
  EXPECT_EQ(r->as<uint8_t>()[1], 30);  // columns 2 to 4
}

TEST(ModulesPicture, SmallerPicturesAreRepeated) {
  const auto r = resize_by_area(picture(2, 2, 3, 9), 5, 7);
  ASSERT_TRUE(r.ok());
  for (const uint8_t v : r->as<uint8_t>()) EXPECT_EQ(v, 9);
}

TEST(ModulesPicture, Grey) {
  Tensor p = picture(1, 1, 3, 0);
  p.as<uint8_t>()[0] = 200;
  p.as<uint8_t>()[1] = 100;
  p.as<uint8_t>()[2] = 50;
  EXPECT_EQ(to_grey(p)->as<uint8_t>()[0], (299 * 200 + 587 * 100 + 114 * 50 + 500) / 1000);
  EXPECT_EQ(code_of(to_grey(picture(2, 2, 2, 0))), ErrorCode::module_input);
}

}  // namespace
}  // namespace edgetwin::robotics
