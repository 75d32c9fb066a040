// Every id that the program prints in a case is one that `explain` finds.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "base/file.h"
#include "rules/registry.h"
#include "source_dir.h"

namespace edgetwin::rules {
namespace {

namespace fs = std::filesystem;

// Ids that `form` finds in files below a folder, with the place of the first.
void expect_known(const std::string& folder, const std::set<std::string>& endings,
                  const std::regex& form, size_t least) {
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir() + folder)) {
    if (!endings.contains(entry.path().extension().string())) continue;
    const auto data = read_file(entry.path().string());
    ASSERT_TRUE(data.ok()) << entry.path();
    const std::string text(as_text(*data));
    for (std::sregex_iterator at(text.begin(), text.end(), form), end; at != end; ++at) {
      const std::string id = (*at)[1];
      if (!seen.insert(id).second) continue;
      EXPECT_NE(find(id).rule, nullptr) << id << " in " << entry.path();
    }
  }
  EXPECT_GE(seen.size(), least) << folder;
}

TEST(PrintedIds, OfAllCasesAreExplained) {
  static const std::regex kPrinted(
      "(?:error|warning|note)\\[([A-Z0-9]+(?:-[A-Z0-9]+)*-[0-9]{2})\\]");
  expect_known("/tests/cases", {".txt"}, kPrinted, 60);
}

TEST(PrintedIds, OfJsonDocumentsAreExplained) {
  static const std::regex kMember("\"id\": \"([A-Z0-9]+(?:-[A-Z0-9]+)*-[0-9]{2})\"");
  expect_known("/tests/cases", {".txt"}, kMember, 3);
}

}  // namespace
}  // namespace edgetwin::rules
