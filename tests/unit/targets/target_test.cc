#include "targets/target.h"

#include <set>

#include <gtest/gtest.h>

#include "ops/registry/numerics.h"

namespace edgetwin {
namespace {

TEST(Targets, NamesAndAliasesAreUnique) {
  std::set<std::string_view> seen;
  for (const Target& t : all_targets()) {
    EXPECT_TRUE(seen.insert(t.name).second) << t.name;
    for (const std::string_view alias : t.aliases) EXPECT_TRUE(seen.insert(alias).second) << alias;
    EXPECT_FALSE(t.summary.empty()) << t.name;
    EXPECT_FALSE(t.takes.empty()) << t.name;
  }
  EXPECT_GE(all_targets().size(), 7U);
}

TEST(Targets, AreFoundByNameAndAliasInAnyCase) {
  ASSERT_NE(find_target("esp32p4"), nullptr);
  EXPECT_EQ(find_target("P4"), find_target("esp32p4"));
  EXPECT_EQ(find_target("ai85")->name, "max78000");
  EXPECT_EQ(find_target("coral")->name, "edgetpu");
  EXPECT_EQ(find_target("esp32p5"), nullptr);
  EXPECT_EQ(find_target(""), nullptr);
}

TEST(Targets, NumericsAreRows) {
  for (const Target& t : all_targets()) {
    const ops::NumericsInfo* row = ops::find_numerics(t.numerics);
    ASSERT_NE(row, nullptr) << t.name;
    EXPECT_EQ(row->graphs, t.family != Family::max78) << t.name;
  }
}

TEST(Targets, IdsAreRows) {
  for (const Target& t : all_targets()) {
    const auto id = targets::find_id(t.name);
    ASSERT_TRUE(id) << t.name;
    EXPECT_EQ(&targets::row(*id), &t) << t.name;
  }
  EXPECT_EQ(targets::name(targets::Id::espdl_c), "c");
}

TEST(Targets, WhatAFamilyLacksHasAReason) {
  EXPECT_FALSE(lacks(Family::espdl, "compile").empty());
  EXPECT_TRUE(lacks(Family::max78, "compile").empty());
  EXPECT_TRUE(lacks(Family::edgetpu, "no such verb").empty());
  EXPECT_FALSE(lacks(*find_target("c"), "firmware").empty());
  EXPECT_TRUE(lacks(Family::espdl, "firmware").empty());  // two of its chips have it
}

TEST(Targets, RefusalsNameWhatFits) {
  const auto wrong = targets::require_target("esp32p5");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().hint.find("esp32p4"), std::string::npos);
  const auto other = targets::require_target("edgetpu", {Family::max78});
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().hint.find("esp32"), std::string::npos) << other.error().hint;
  const auto verb = targets::require_target_for("esp32s3", "compile");
  ASSERT_FALSE(verb.ok());
  EXPECT_NE(verb.error().message.find("quantize"), std::string::npos) << verb.error().message;
}

}  // namespace
}  // namespace edgetwin
