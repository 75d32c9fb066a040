#include "targets/espdl/check/rules.h"

#include <gtest/gtest.h>

#include <regex>

#include "base/file.h"
#include "source_dir.h"

namespace edgetwin::targets::espdl {
namespace {

TEST(Rules, HaveIdsOfOneFormAndText) {
  static const std::regex kForm("ESPDL-[A-Z0-9]{1,8}-[0-9]{2}");
  for (const RuleInfo& row : all_rules()) {
    EXPECT_TRUE(std::regex_match(std::string(row.id), kForm)) << row.id;
    EXPECT_TRUE(row.text.ends_with('.')) << row.id;
  }
  EXPECT_GE(all_rules().size(), 70U);
  EXPECT_EQ(info(Rule::plan_remark).id, "ESPDL-PLAN-01");
}

TEST(Rules, ArePinnedInTheDocument) {
  const auto bytes = read_file(source_dir() + "/docs/espdl-rules.md");
  ASSERT_TRUE(bytes.ok()) << to_text(bytes.error());
  EXPECT_EQ(std::string(as_text(*bytes)), rules_markdown()) << "run the target update_docs";
}

}  // namespace
}  // namespace edgetwin::targets::espdl
