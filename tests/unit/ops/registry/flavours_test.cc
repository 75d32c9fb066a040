// The table of flavours.
#include <gtest/gtest.h>

#include <set>

#include "ops/registry/flavours.h"

namespace edgetwin::ops {
namespace {

TEST(Flavours, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const FlavourInfo& row : flavours()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_flavour(row.name), &row);
    EXPECT_EQ(row.name.find('_'), std::string_view::npos);
    EXPECT_FALSE(row.summary.empty());
  }
  EXPECT_TRUE(names.contains("tflite"));
  EXPECT_EQ(find_flavour("nothing"), nullptr);
}

}  // namespace
}  // namespace edgetwin::ops
