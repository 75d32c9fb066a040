// Lists of work in shards: any order gives the whole; gaps, doubles and others are refused.
#include "evaluate/parts/list_part.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace edgetwin::evaluation {
namespace {

using NamedListPart = std::pair<std::string, ListPart>;

ListPart list_share(uint64_t shard, uint64_t shards, uint64_t items, const char* what = "x") {
  ListPart part;
  part.of = "verify";
  part.identity = Json::object();
  part.identity.set("what", what);
  part.items = items;
  part.shard = shard;
  part.shards = shards;
  for (uint64_t i = shard - 1; i < items; i += shards) {
    Json row = Json::object();
    row.set("index", i).set("yes", i != 3).set("value", static_cast<double>(i) / 3.0);
    part.rows.push_back(std::move(row));
  }
  return part;
}

std::string whole_of(uint64_t shards, uint64_t items, bool backwards) {
  std::vector<NamedListPart> parts;
  for (uint64_t k = 1; k <= shards; ++k) {
    // Through the text of the file, as `merge` does.
    const std::string text = list_json(list_share(k, shards, items)).text();
    auto part = read_list_part(*Json::parse(text, "p"), "p");
    EXPECT_TRUE(part.ok()) << to_text(part.error());
    parts.emplace_back("part" + std::to_string(k), std::move(*part));
  }
  if (backwards) std::ranges::reverse(parts);
  const auto whole = merge_lists(parts);
  EXPECT_TRUE(whole.ok());
  return list_json(*whole).text();
}

TEST(ListPart, EveryCutGivesTheSameBytes) {
  const std::string one = list_json(list_share(1, 1, 10)).text();
  for (const uint64_t shards : {1U, 2U, 3U, 7U, 10U, 13U}) {
    EXPECT_EQ(whole_of(shards, 10, false), one) << shards;
    EXPECT_EQ(whole_of(shards, 10, true), one) << shards;
  }
}

TEST(ListPart, ARowThatSaysNoMakesTheWholeANo) {
  EXPECT_TRUE(list_share(1, 1, 3).yes());
  EXPECT_FALSE(list_share(1, 1, 4).yes());
}

TEST(ListPart, RefusesGapsDoublesAndOthers) {
  const auto id_of = [](const std::vector<NamedListPart>& parts) {
    const auto made = merge_lists(parts);
    return made.ok() ? std::string() : std::string(made.error().id());
  };
  const NamedListPart one{"a", list_share(1, 2, 5)}, two{"b", list_share(2, 2, 5)};
  EXPECT_EQ(id_of({one, two}), "");
  EXPECT_EQ(id_of({one}), "EVAL-PART-03");
  EXPECT_EQ(id_of({one, two, one}), "EVAL-PART-04");
  EXPECT_EQ(id_of({one, {"c", list_share(2, 2, 5, "y")}}), "EVAL-PART-02");
  EXPECT_EQ(id_of({one, {"c", list_share(2, 3, 5)}}), "EVAL-PART-02");
}

TEST(ListPart, RefusesFilesThatWereChanged) {
  std::string text = list_json(list_share(2, 2, 5)).text();
  text.replace(text.rfind("false"), 5, "true");
  EXPECT_FALSE(read_list_part(*Json::parse(text, "p"), "p").ok());
  EXPECT_FALSE(read_list_part(Json::object(), "p").ok());
  ListPart outside = list_share(1, 2, 5);
  outside.items = 3;  // row 4 is beyond
  EXPECT_FALSE(read_list_part(list_json(outside), "p").ok());
}

}  // namespace
}  // namespace edgetwin::evaluation
