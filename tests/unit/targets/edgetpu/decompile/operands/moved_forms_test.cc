#include "targets/edgetpu/decompile/operands/moved_forms.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

using Kind = MovedForm::Kind;

std::optional<MovedForm> form(const std::vector<int32_t>& places, int h, int w,
                              const Extent2D& from) {
  return form_of({places, w, 0, 0, h, w}, from);
}

TEST(EdgetpuMovedForms, OnePicture) {
  EXPECT_EQ(form({0, 1, 2, 3, 4, 5}, 2, 3, {2, 3, 4})->kind, Kind::same);
  EXPECT_EQ(form({0, 1, 2, 3, 4, 5}, 3, 2, {2, 3, 4})->kind, Kind::reshape);
  EXPECT_EQ(form({0, 3, 1, 4, 2, 5}, 3, 2, {2, 3, 4})->kind, Kind::transpose);
  EXPECT_EQ(form({0, 0, 1, 1, 0, 0, 1, 1}, 2, 4, {1, 2, 4})->kind, Kind::nearest);
  EXPECT_EQ(form({1, 2, 4, 5}, 2, 2, {2, 3, 4}), (MovedForm{Kind::slice, 0, 1, 1, 1, false}));
  EXPECT_EQ(form({0, 2, 8, 10}, 2, 2, {4, 4, 4}), (MovedForm{Kind::slice, 0, 0, 2, 2, false}));
  EXPECT_EQ(form({-1, -1, -1, 0}, 2, 2, {1, 1, 4}), (MovedForm{Kind::pad, 1, 1, 1, 1, false}));
  EXPECT_FALSE(form({0, 2, 1, 3}, 1, 4, {1, 4, 4}));
}

TEST(EdgetpuMovedForms, RowsOrColumnsJoined) {
  const std::vector<int32_t> twice{0, 1, 0, 1, 2, 3, 2, 3};
  const auto joined = joined_forms({twice, 4, 0, 0, 2, 4}, {2, 2, 4});
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->axis, 2);
  EXPECT_EQ(joined->boxes.size(), 2u);
  const std::vector<int32_t> turned{1, 0, 3, 2};
  const auto columns = joined_forms({turned, 2, 0, 0, 2, 2}, {2, 2, 4});
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->boxes.size(), 2u);
}

Operand deeper(int32_t last) {
  Operand o;
  o.from = {0};
  o.height = 1, o.width = 2;
  const std::vector<std::vector<int32_t>> places{{0, 2}, {1, 3}, {4, 6}, {5, last}};
  for (const auto& p : places) o.moved.push_back({{0}, {0, 4}, 4, p});
  return o;
}

TEST(EdgetpuMovedForms, Blocks) {
  EXPECT_EQ(space_to_depth_block(deeper(7), {2, 4, 4}), 2);
  EXPECT_EQ(space_to_depth_block(deeper(6), {2, 4, 4}), 0);
  Operand wider;
  wider.from = {0};
  wider.height = 2, wider.width = 4;
  wider.moved = {{{0}, {0, 16}, 4, {0, 1, 4, 5, 2, 3, 6, 7}}};
  EXPECT_EQ(depth_to_space_block(wider, {1, 2, 16}), 2);
  wider.moved[0].places[0] = 1;
  EXPECT_EQ(depth_to_space_block(wider, {1, 2, 16}), 0);
}

TEST(EdgetpuMovedForms, ARowOfAllPositions) {
  Operand o;
  o.from = {0};
  o.height = 1, o.width = 2;
  o.moved = {{{0}, {0, 3}, 3, {0, 2}}, {{0}, {0, 3}, 3, {1, 3}}};
  EXPECT_EQ(pieces_of(o), 4);
  EXPECT_TRUE(is_flat(o, {2, 2, 3}));
  EXPECT_FALSE(is_flat(o, {2, 3, 3}));  // another picture has more positions
  EXPECT_FALSE(is_flat(o, {2, 2, 4}));  // or more channels
  o.moved[1].places = {3, 1};
  EXPECT_FALSE(is_flat(o, {2, 2, 3}));
  EXPECT_FALSE(is_filler(o.moved[1]));
  o.moved[1].places = {-1, -1};
  EXPECT_TRUE(is_filler(o.moved[1]));
}

}  // namespace
}  // namespace edgetwin::edgetpu
