// the table of numerics.
#include <gtest/gtest.h>

#include <set>

#include "ops/registry/numerics.h"

namespace edgetwin::ops {
namespace {

TEST(Numerics, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const NumericsInfo& row : all_numerics()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_numerics(row.name), &row);
    EXPECT_EQ(row.name.find('_'), std::string_view::npos);
    EXPECT_FALSE(row.summary.empty());
  }
  EXPECT_TRUE(names.contains("tflite"));
  EXPECT_EQ(find_numerics("nothing"), nullptr);
}

}  // namespace
}  // namespace edgetwin::ops
