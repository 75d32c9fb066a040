#include "rules/registry.h"

#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace edgetwin::rules {
namespace {

std::vector<const RuleInfo*> all_rows() {
  std::vector<const RuleInfo*> rows;
  for (const NamedTable& table : all_tables()) {
    for (const RuleInfo& row : table.rows) rows.push_back(&row);
  }
  return rows;
}

TEST(Registry, IdsAreUniqueAndAscendWithinTheirArea) {
  static const std::regex kForm("[A-Z0-9]+(-[A-Z0-9]+)*-[0-9]{2}");
  std::set<std::string_view> ids;
  std::map<std::string, std::string> last;  // of each area
  for (const RuleInfo* row : all_rows()) {
    EXPECT_TRUE(ids.insert(row->id).second) << row->id << " twice";
    EXPECT_TRUE(std::regex_match(std::string(row->id), kForm)) << row->id;
    const std::string id(row->id);
    std::string& before = last[id.substr(0, id.rfind('-'))];
    EXPECT_LT(before, id) << "not in order";
    before = id;
  }
  EXPECT_GE(ids.size(), 400U);
}

TEST(Registry, ColumnsAreComplete) {
  const std::set<int> exits{0, 1, 2, 3, 4, 70};
  for (const RuleInfo* row : all_rows()) {
    EXPECT_FALSE(row->name.empty()) << row->id;
    EXPECT_FALSE(row->title.empty()) << row->id;
    EXPECT_TRUE(row->text.empty() || row->text.ends_with('.')) << row->id;
    EXPECT_TRUE(row->remedy.ends_with('.')) << row->id;
    EXPECT_TRUE(exits.contains(row->exit_code)) << row->id;
    // Only errors end a command.
    EXPECT_EQ(row->exit_code != 0, row->severity == Severity::error) << row->id;
  }
}

// Words that are no remedy, and words that are not technical English.
TEST(Registry, WordingIsPlainAndRemediesAreRemedies) {
  static const std::regex kNoRemedy("^The message|^See the message|^Warning");
  static const std::regex kWords(
      "^Warning|\\b(stands?|behind|whoever|nobody|somebody|cures?|made up|is no|are no)\\b");
  for (const RuleInfo* row : all_rows()) {
    EXPECT_FALSE(std::regex_search(std::string(row->remedy), kNoRemedy)) << row->id;
    for (const std::string_view text : {row->title, row->text, row->remedy}) {
      EXPECT_FALSE(std::regex_search(std::string(text), kWords)) << row->id << ": " << text;
    }
  }
}

TEST(Registry, FindsEveryRuleByItsId) {
  for (const NamedTable& table : all_tables()) {
    for (const RuleInfo& row : table.rows) {
      const FoundRule found = find(row.id);
      EXPECT_EQ(found.rule, &row) << row.id;
      EXPECT_EQ(found.table, &table) << row.id;
    }
  }
  EXPECT_EQ(find("FMT-NPY-99").rule, nullptr);
  EXPECT_EQ(find("").rule, nullptr);
}

}  // namespace
}  // namespace edgetwin::rules
