#include "base/modules/modules.h"

#include <gtest/gtest.h>

namespace edgetwin::modules {
namespace {

TEST(Modules, AreLookedForInLibBesideTheFolderOfTheProgram) {
  const auto all = folders();
  ASSERT_FALSE(all.empty());
  const std::filesystem::path program = std::filesystem::canonical("/proc/self/exe");
  EXPECT_EQ(all[0], program.parent_path().parent_path() / "lib" / "edgetwin");
}

TEST(Modules, OneThatIsMissingIsAnErrorWithThePlaces) {
  const auto found = variable("nonsense", "edgetwin_nonsense");
  ASSERT_FALSE(found.ok());
  const Error& error = found.error();
  EXPECT_EQ(error.code, ErrorCode::device);
  EXPECT_TRUE(
      error.message.starts_with("the module 'nonsense' cannot be loaded: there is no nonsense-"))
      << error.message;
  ASSERT_EQ(error.details.size(), folders().size());
  EXPECT_TRUE(error.details[0].starts_with("looked for " + (folders()[0] / "nonsense-").string()));
  EXPECT_FALSE(error.hint.empty());
}

#ifdef EDGETWIN_MODULES
TEST(Modules, StayLoaded) {
  const auto first = variable("cipher", "edgetwin_espdl_cipher");
  ASSERT_TRUE(first.ok()) << to_text(first.error());
  const auto second = variable("cipher", "edgetwin_espdl_cipher");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(*first, *second);
}

TEST(Modules, OneOfAnotherBuildIsAnError) {
  const auto found = variable("cipher", "edgetwin_nonsense");
  ASSERT_FALSE(found.ok());
  EXPECT_TRUE(found.error().message.ends_with(" has no edgetwin_nonsense"))
      << found.error().message;
}
#endif

}  // namespace
}  // namespace edgetwin::modules
