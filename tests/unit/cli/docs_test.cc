// docs/cli.md says what the program does: its options, exit codes and ids.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "base/file.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/max78_arguments.h"
#include "cli/shared/parser.h"
#include "cli/verbs.h"
#include "ops/edgetpu/evidence.h"
#include "ops/edgetpu/options.h"
#include "source_dir.h"

namespace edgetwin::cli {
namespace {

// A file of the repository.
std::string page(const std::string& path) {
  const auto bytes = read_file(source_dir() + "/" + path);
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

std::string manual() { return page("docs/cli.md"); }

// The part of the manual under "## <verb>".
std::string section(const std::string& text, const std::string& verb) {
  const size_t begin = text.find("\n## " + verb + "\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

std::string own_section(const std::string& text, const std::string& verb) {
  return section(text, verb == "pack" || verb == "unpack" ? "pack, unpack" : verb);
}

// Options that several verbs share are described once.
std::string section_of_group(const std::string& text, const std::string& group) {
  if (group == "Output") return section(text, "Options of every verb");
  if (group == "Edge TPU") return section(text, "Edge TPU devices");
  if (group == kMax78Group) return section(text, "MAX78000 and MAX78002");
  if (group == "ESP-DL") {
    return section(text, "run") + section(text, "ESP-DL models") + section(text, "ONNX networks");
  }
  return "";
}

// "--output" of "-o,--output"; all of "--pooled,!--no-pooled".
std::vector<std::string> long_names(const std::string& names) {
  static const std::regex kLong("--[a-z][a-z0-9_-]*");
  return {std::sregex_token_iterator(names.begin(), names.end(), kLong),
          std::sregex_token_iterator()};
}

TEST(Manual, NamesEveryOptionOfEveryVerb) {
  const std::string text = manual();
  const std::string templates = page("docs/templates.md");
  for (const VerbInfo& called : describe(verbs())) {
    const std::string top = called.words.substr(0, called.words.find(' '));
    std::string places = own_section(text, top);
    ASSERT_FALSE(places.empty()) << called.words;
    EXPECT_GE(called.options.size(), 4U) << called.words;
    std::set<std::string> groups;
    for (const OptionInfo& option : called.options) groups.insert(option.group);
    for (const std::string& group : groups) places += section_of_group(text, group);
    if (top == "template") places += templates;  // the arguments of the formulas, without dashes
    for (const OptionInfo& option : called.options) {
      const std::vector<std::string> names = long_names(option.names);
      const bool any =
          names.empty() || std::any_of(names.begin(), names.end(), [&](const auto& name) {
            const bool formula =
                top == "template" && places.find("`" + name.substr(2) + "`") != std::string::npos;
            return formula || places.find(name) != std::string::npos;
          });
      EXPECT_TRUE(any) << called.words << " " << option.names;
    }
  }
}

TEST(Manual, HasEveryVerbInItsTableAndItsExample) {
  const std::string text = manual();
  for (const Verb& verb : verbs()) {
    EXPECT_NE(text.find("[`" + verb.name + "`](#"), std::string::npos) << verb.name;
    EXPECT_NE(own_section(text, verb.name).find(verb.example), std::string::npos) << verb.example;
  }
}

// The help of every verb is compared word for word by the case tests/cases/help/<verb>.txt.
TEST(Cases, HaveTheHelpOfEveryVerb) {
  for (const Verb& verb : verbs()) {
    const std::string text = page("tests/cases/help/" + verb.name + ".txt");
    EXPECT_NE(text.find("run: edgetwin " + verb.name + " --help\n"), std::string::npos)
        << verb.name;
  }
}

TEST(Manual, HasTheExitCodesOfTheProgram) {
  const std::string text = section(manual(), "Exit codes");
  const std::vector<std::pair<int, std::string>> rows = {{kYes, "kYes"},
                                                         {kNo, "kNo"},
                                                         {kUsage, "kUsage"},
                                                         {kInput, "kInput"},
                                                         {kEnvironment, "kEnvironment"},
                                                         {kBug, "kBug"}};
  for (const auto& [code, name] : rows) {
    const std::string row = "| " + std::to_string(code) + " | " + name + " |";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
  std::set<int> known;
  for (const auto& row : rows) known.insert(row.first);
  for (const RuleInfo& row : all_errors()) EXPECT_TRUE(known.count(row.exit_code)) << row.id;
}

// docs/numerics.md has the rows of edgetpu_options.def and edgetpu_evidence.def, word for word.
TEST(NumericsPage, HasWhatIsOpenInTheEdgeTpusArithmetic) {
  const std::string text = page("docs/numerics.md");
  const auto expect_row = [&](const std::string& row) {
    EXPECT_NE(text.find("\n" + row + "\n"), std::string::npos) << row;
  };
  for (const ops::EdgetpuOptionRow& o : ops::edgetpu_option_table()) {
    expect_row("| `" + std::string(o.key) + "=" + std::string(o.value) + "` | " +
               std::string(o.meaning) + " |");
  }
  for (const ops::EdgetpuEvidence& e : ops::edgetpu_evidence()) {
    expect_row("| " + std::string(e.id) + " | " + std::string(ops::name(e.status)) + " | " +
               std::string(e.statement) + " | " + std::string(e.basis) + " |");
  }
}

}  // namespace
}  // namespace edgetwin::cli
