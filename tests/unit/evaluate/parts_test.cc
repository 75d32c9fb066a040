// Parts: any order gives the same bytes; gaps, doubles and parts of others are refused; a journal
// that is cut loses its last block alone.
#include <gtest/gtest.h>

#include "base/file.h"
#include "evaluate/parts/journal.h"
#include "evaluate/rules/rules.h"
#include "test_folder.h"

namespace edgetwin::evaluation {
namespace {

Identity identity_for(uint64_t samples, const std::string& model = "net.tflite") {
  Json described = Json::object();
  described.set("file", model).set("numerics", "tflite");
  Json models = Json::array();
  models.push(described);
  Json data = Json::object();
  data.set("name", "set").set("kind", "folder");
  const Json j =
      identity_json(Task::classify, samples, models, std::move(data), Json::object(), {});
  return *identity_of(j, "test");
}

Record record_at(uint64_t i) {
  Record r;
  r.index = i;
  r.name = "a\tb%" + std::to_string(i);
  std::vector<double> scores = {0.1, 0.2, 0.7};
  scores[i % 3] += 0.5;
  r.rows.push_back(classify_row(static_cast<int64_t>(i * i % 3), scores, false));
  return r;
}

Part part_of(const Identity& id, uint64_t shard, uint64_t shards) {
  Part p{id, shard, shards, {}};
  for (uint64_t i = 0; i < id.samples; ++i) {
    if (in_shard(i, shard, shards)) p.records.push_back(record_at(i));
  }
  return p;
}

std::string rule_of(const Result<Part>& r) { return r.ok() ? "" : std::string(r.error().id()); }

TEST(Parts, AnyOrderGivesTheSameBytes) {
  const Identity id = identity_for(100);
  const std::string whole = result_json(part_of(id, 1, 1)).text();
  for (const uint64_t n : {1U, 2U, 7U}) {
    std::vector<std::pair<std::string, Part>> parts;
    for (uint64_t k = n; k >= 1; --k) {
      const std::string text = part_json(part_of(id, k, n)).text();
      const auto read = read_part(text, "part");
      ASSERT_TRUE(read.ok()) << to_text(read.error());
      parts.emplace_back("part" + std::to_string(k), *read);
    }
    const auto merged = merge(parts);
    ASSERT_TRUE(merged.ok()) << to_text(merged.error());
    EXPECT_EQ(result_json(*merged).text(), whole) << n;
  }
}

TEST(Parts, WhatDoesNotBelongTogether) {
  const Identity id = identity_for(10), other = identity_for(10, "other.tflite");
  const Part one = part_of(id, 1, 2), two = part_of(id, 2, 2);
  EXPECT_EQ(rule_of(merge({{"a", one}})), "EVAL-PART-03");
  EXPECT_EQ(rule_of(merge({{"a", one}, {"b", one}})), "EVAL-PART-04");
  EXPECT_EQ(rule_of(merge({{"a", one}, {"b", part_of(other, 2, 2)}})), "EVAL-PART-02");
  EXPECT_EQ(rule_of(merge({{"a", one}, {"b", part_of(id, 2, 3)}})), "EVAL-PART-02");
  Part gap = two;
  gap.records.pop_back();
  EXPECT_EQ(rule_of(merge({{"a", one}, {"b", gap}})), "EVAL-PART-03");
}

TEST(Parts, ChangedFilesAreRefused) {
  const std::string text = part_json(part_of(identity_for(10), 1, 2)).text();
  std::string changed = text;
  changed.replace(changed.find("0\\ta%09b"), 1, "2");
  EXPECT_EQ(rule_of(read_part(changed, "p")), "EVAL-PART-01");
  EXPECT_EQ(rule_of(read_part(text.substr(0, text.size() / 2), "p")), "EVAL-PART-01");
  EXPECT_EQ(rule_of(read_part("{}", "p")), "EVAL-PART-01");
  EXPECT_EQ(rule_of(read_part("", "p")), "EVAL-PART-01");
}

TEST(Parts, LinesKeepNamesWhole) {
  const Record r = record_at(7);
  const auto again = record_of(line_of(r), {Task::classify, 1, 10}, "p");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->name, r.name);
  EXPECT_EQ(again->rows, r.rows);
  EXPECT_FALSE(record_of(line_of(r), {Task::classify, 1, 7}, "p").ok());
  EXPECT_FALSE(record_of(line_of(r), {Task::detect, 1, 10}, "p").ok());
  EXPECT_FALSE(record_of(line_of(r), {Task::classify, 2, 10}, "p").ok());
}

TEST(Journal, LosesTheBlockThatWasCutAlone) {
  const TestFolder folder;
  const JournalPlace place{folder / "out.json", "identity", {Task::classify, 1, 100}};
  {
    auto journal = Journal::open(place, 0);
    ASSERT_TRUE(journal.ok());
    for (uint64_t b = 0; b < 3; ++b) {
      std::vector<Record> block;
      for (uint64_t i = b * 32; i < b * 32 + 32; ++i) block.push_back(record_at(i));
      ASSERT_TRUE(journal->append(block).ok());
    }
  }
  const auto file = journals_of(place.output).at(0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 5);
  auto records = read_journals(place);
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(records->size(), 64U);
  // It goes on after them, and another process has its own.
  {
    auto journal = Journal::open(place, 0);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE(journal->append({record_at(64)}).ok());
    auto second = Journal::open(place, 1);
    ASSERT_TRUE(second.ok());
    ASSERT_TRUE(second->append({record_at(70), record_at(3)}).ok());
  }
  records = read_journals(place);
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(records->size(), 66U);
  JournalPlace other = place;
  other.identity = "another";
  EXPECT_FALSE(read_journals(other).ok());
  ASSERT_TRUE(remove_journals(place.output).ok());
  EXPECT_TRUE(journals_of(place.output).empty());
}

}  // namespace
}  // namespace edgetwin::evaluation
