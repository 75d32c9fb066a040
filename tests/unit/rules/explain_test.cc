#include "edgetwin/explain.h"

#include <gtest/gtest.h>

#include <set>

#include "rules/registry.h"

namespace edgetwin {
namespace {

TEST(Explain, KnowsEveryRowOfEveryTable) {
  size_t rows = 0;
  for (const rules::NamedTable& table : rules::all_tables()) rows += table.rows.size();
  EXPECT_EQ(all_explanations().size(), rows);
  for (const Explanation& e : all_explanations()) EXPECT_EQ(explain(e.id), &e) << e.id;
}

TEST(Explain, FindsAnIdInSmallLetters) {
  const Explanation* found = explain("fmt-npy-01");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->id, "FMT-NPY-01");
  EXPECT_EQ(found->exit_code, 3);
  EXPECT_FALSE(found->remedy.empty());
}

TEST(Explain, NamesWhatIsSpelledNearlySo) {
  EXPECT_EQ(explain("FMT-NPY-0"), nullptr);
  const auto near = near_ids("FMT-NPY-0", 2);
  ASSERT_EQ(near.size(), 2U);
  EXPECT_TRUE(near[0].starts_with("FMT-NPY-0")) << near[0];
}

}  // namespace
}  // namespace edgetwin
