// Manual pages and completions name what the table of verbs has.
#include <gtest/gtest.h>

#include "cli/manual/completion.h"
#include "cli/manual/roff.h"
#include "cli/verbs.h"

namespace edgetwin::cli {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A hyphen that is typed, as man(7) writes it.
std::string typed(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '-' ? "\\-" : std::string(1, c);
  return out;
}

TEST(ManualPages, ThatOfTheProgramHasEveryVerb) {
  const std::string page = program_page(verbs());
  EXPECT_TRUE(page.starts_with(".TH EDGETWIN 1 "));
  for (const Verb& verb : verbs()) {
    EXPECT_TRUE(has(page, "\\fB" + verb.name + "\\fR\n")) << verb.name;
    EXPECT_TRUE(has(page, ".BR edgetwin\\-" + verb.name + " (1)")) << verb.name;
  }
}

TEST(ManualPages, HaveEveryOption) {
  const std::vector<VerbInfo> all = describe(verbs());
  for (const Verb& verb : verbs()) {
    const std::string page = verb_page(verb, all);
    EXPECT_TRUE(has(page, typed(verb.example))) << verb.name;
    for (const VerbInfo& info : all) {
      if (info.words != verb.name && !info.words.starts_with(verb.name + " ")) continue;
      for (const OptionInfo& option : info.options) {
        for (const std::string& name : names_of(option)) {
          EXPECT_TRUE(has(page, "\\fB" + typed(name) + "\\fR")) << verb.name << " " << name;
        }
      }
    }
  }
}

TEST(Completions, HaveEveryVerbAndOption) {
  const std::vector<VerbInfo> all = describe(verbs());
  for (const std::string& shell : shell_names()) {
    const std::string script = completion(shell, verbs());
    for (const VerbInfo& info : all) {
      EXPECT_TRUE(has(script, info.words)) << shell << " " << info.words;
      for (const OptionInfo& option : info.options) {
        for (const std::string& name : names_of(option)) {
          const bool plain = has(script, name);
          EXPECT_TRUE(plain || has(script, "-l " + name.substr(2))) << shell << " " << name;
        }
      }
    }
  }
}

TEST(Completions, OfferTheChoicesOfAnOption) {
  EXPECT_TRUE(has(bash_completion(verbs()), "--performance) values=\"low medium high max\" ;;"));
  EXPECT_TRUE(has(zsh_completion(verbs()), ":max:(low medium high max)'"));
  EXPECT_TRUE(has(fish_completion(verbs()), "-l performance -x -a 'low medium high max'"));
}

}  // namespace
}  // namespace edgetwin::cli
