// The table of flavours, and the list that is written out beside it.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "ops/registry/flavours.h"
#include "source_dir.h"

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

// EDGETWIN_FOR_EACH_FLAVOUR must have a line for every row of flavours.def.
TEST(Flavours, EveryRowIsInstantiated) {
  std::ifstream table(source_dir() + "/src/ops/registry/flavours.def");
  std::ifstream header(source_dir() + "/src/ops/core/instantiate.h");
  std::stringstream text;
  text << header.rdbuf();
  size_t rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (!line.starts_with("FLAVOUR(")) continue;
    const size_t begin = line.find(", ") + 2;
    const std::string type = line.substr(begin, line.find(',', begin) - begin);
    EXPECT_NE(text.str().find("function<" + type + ">"), std::string::npos) << type;
    ++rows;
  }
  EXPECT_EQ(rows, flavours().size());
}

}  // namespace
}  // namespace edgetwin::ops
