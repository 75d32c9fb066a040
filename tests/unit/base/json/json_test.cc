#include "base/json/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace edgetwin {
namespace {

TEST(Json, KeysKeepTheirOrderAndFlatListsTheirLine) {
  Json j = Json::object();
  j.set("z", 1).set("a", Json::list(std::vector<int>{1, 2})).set("e", Json::object());
  EXPECT_EQ(j.text(), "{\n \"z\": 1,\n \"a\": [1, 2],\n \"e\": {}\n}\n");
}

TEST(Json, TextIsEscapedAndBadUtf8Replaced) {
  EXPECT_EQ(Json("a\"\n").text(), "\"a\\\"\\n\"\n");
  EXPECT_EQ(Json(std::string("\xFF")).text(), "\"\xEF\xBF\xBD\"\n");
}

TEST(Json, NumbersThatAreNotFiniteBecomeNull) {
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null\n");
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).text(), "null\n");
}

TEST(Json, ReadsWhatItWrote) {
  Json j = Json::object();
  j.set("name", "x").set("n", int64_t{1} << 60).set("list", Json::list(std::vector<int>{4, 5}));
  const Json back = Json::parse(j.text(), "f").value();
  EXPECT_EQ(back.get_string("name"), "x");
  EXPECT_EQ(back.get_integer("n"), int64_t{1} << 60);
  EXPECT_EQ(back.get("list")->at(1).as_integer(), 5);
  EXPECT_FALSE(back.get("absent"));
  EXPECT_FALSE(back.get_integer("name"));
  EXPECT_EQ(back.size(), 0U);
}

TEST(Json, ParseErrorsNameTheByte) {
  const auto result = Json::parse("{\"a\": ?}", "f.json");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::bad_value);
  EXPECT_EQ(result.error().place.offset, 6U);
}

TEST(Json, DeepNestingIsNoTrouble) {
  EXPECT_FALSE(Json::parse(std::string(200000, '['), "f").ok());
}

}  // namespace
}  // namespace edgetwin
