#include "serve/modes/parameters.h"

#include <gtest/gtest.h>

namespace edgetwin::serve {
namespace {

std::vector<Parameter> some_parameters() {
  return {
      select("size", "Side", {64, 128}, 64),   select("color", "Colour", {"red", "blue"}, "red"),
      whole_number("range", "Range", 1, 8, 4), number("scale", "Scale", 0.5, 2.0, 1.0),
      range("share", "Share", 0.0, 1.0, 0.25), checkbox("on", "On", false)};
}

Result<ParameterValues> values_of(const std::string& text) {
  return ParameterValues::make(some_parameters(), *Json::parse(text, "test"));
}

TEST(ServeParameters, WhatIsMissingHasItsDefault) {
  const auto v = values_of("{}");
  ASSERT_TRUE(v.ok());
  EXPECT_EQ(v->integer("size"), 64);
  EXPECT_EQ(v->text("color"), "red");
  EXPECT_EQ(v->integer("range"), 4);
  EXPECT_EQ(v->real("scale"), 1.0);
  EXPECT_EQ(v->real("share"), 0.25);
  EXPECT_FALSE(v->flag("on"));
}

TEST(ServeParameters, TextOfAPageIsTakenAsNumber) {
  const auto v = values_of(R"({"size": "128", "range": "7", "scale": "1.5", "on": "yes"})");
  ASSERT_TRUE(v.ok()) << v.error().message;
  EXPECT_EQ(v->integer("size"), 128);
  EXPECT_EQ(v->integer("range"), 7);
  EXPECT_EQ(v->real("scale"), 1.5);
  EXPECT_TRUE(v->flag("on"));
}

TEST(ServeParameters, AllThatIsWrongIsSaidAtOnce) {
  const auto v = values_of(R"({"size": 65, "range": 9, "scale": "x", "other": 1})");
  ASSERT_FALSE(v.ok());
  EXPECT_EQ(v.error().code, ErrorCode::bad_value);
  for (const char* name : {"size", "range", "scale", "other"}) {
    EXPECT_NE(v.error().message.find(name), std::string::npos) << name;
  }
  EXPECT_EQ(std::count(v.error().message.begin(), v.error().message.end(), ';'), 3);
}

TEST(ServeParameters, LimitsBelongToTheRange) {
  EXPECT_TRUE(values_of(R"({"share": 0, "scale": 0.5, "range": 1})").ok());
  EXPECT_TRUE(values_of(R"({"share": 1, "scale": 2, "range": 8})").ok());
  EXPECT_FALSE(values_of(R"({"share": 1.01})").ok());
  EXPECT_FALSE(values_of(R"({"scale": 0.49})").ok());
  EXPECT_FALSE(values_of(R"({"range": 2.5})").ok());
}

TEST(ServeParameters, SchemaHasWhatThePageDraws) {
  const Json schema = schema_of(some_parameters());
  EXPECT_EQ(schema.keys().size(), 6U);
  EXPECT_EQ(schema.get("size")->get_string("type"), "select");
  EXPECT_EQ(schema.get("size")->get("options")->size(), 2U);
  EXPECT_EQ(schema.get("range")->get_string("label"), "Range");
  EXPECT_EQ(schema.get("share")->get("max")->as_number(), 1.0);
  EXPECT_EQ(schema.get("on")->get_string("type"), "checkbox");
}

}  // namespace
}  // namespace edgetwin::serve
