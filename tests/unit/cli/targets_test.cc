// Every row of what a chip lacks is refused with its reason, by --target and by the file's kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/networks/verb_target.h"
#include "cli/shared/parser.h"
#include "cli/verbs.h"
#include "source_dir.h"
#include "targets/document.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

std::vector<std::string_view> verbs_with_targets() {
  std::vector<std::string_view> names;
  for (const Verb& verb : verbs()) {
    if (verb.meets_targets) names.push_back(verb.name);
  }
  return names;
}

// A file whose kind tells the family.
std::string file_of(Family family) {
  const std::string files = source_dir() + "/tests/cases/files/";
  switch (family) {
    case Family::edgetpu:
      return files + "echo_edgetpu.tflite";
    case Family::max78:
      return files + "small.yaml";
    case Family::espdl:
      return files + "lane.espdl";
    case Family::tflite:
      break;
  }
  return files + "add.tflite";
}

bool has_target(const VerbInfo& verb) {
  return std::ranges::any_of(verb.options,
                             [](const OptionInfo& o) { return o.names == "--target"; });
}

bool takes_file(const VerbInfo& verb) {
  return std::ranges::any_of(verb.options,
                             [](const OptionInfo& o) { return o.positional && !o.source; });
}

// The verb with everything that it requires.
std::vector<std::string> command_line(const VerbInfo& verb, const std::string& target,
                                      const std::string& file) {
  std::vector<std::string> words = {"edgetwin"};
  for (size_t at = 0; at < verb.words.size();) {
    const size_t end = std::min(verb.words.find(' ', at), verb.words.size());
    words.push_back(verb.words.substr(at, end - at));
    at = end + 1;
  }
  for (const OptionInfo& o : verb.options) {
    if (o.positional) {
      words.push_back(file);
    } else if (o.names == "--target") {
      if (!target.empty()) words.insert(words.end(), {"--target", target});
    } else if (o.required) {
      words.push_back(o.names.substr(o.names.rfind(',') + 1));
      if (!o.value.empty()) words.push_back(o.choices.empty() ? "x" : o.choices[0]);
    }
  }
  return words;
}

// What the program says before the verb begins.
std::string refusal(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const Parsed parsed = parse(verbs(), static_cast<int>(pointers.size()), pointers.data());
  if (!parsed.action) return parsed.error ? parsed.error->message : "no action";
  Console console(parsed.console);
  const Result<int> result = parsed.action(console);
  return result.ok() ? "not refused" : result.error().message;
}

TEST(VerbTargets, EveryRowNamesAVerbThatMeetsTargets) {
  const auto names = verbs_with_targets();
  for (const targets::Lack& row : targets::all_lacks()) {
    EXPECT_NE(std::ranges::find(names, row.verb), names.end()) << row.verb;
    EXPECT_FALSE(row.reason.empty() || row.reason.ends_with('.')) << row.reason;
  }
}

TEST(VerbTargets, EveryRowIsRefusedByTargetAndByFile) {
  int by_target = 0;
  int by_file = 0;
  const std::vector<VerbInfo> all = describe(verbs());
  for (const targets::Lack& row : targets::all_lacks()) {
    for (const Target* target : row.targets) {
      const Status checked = check_verb_target(row.verb, {std::string(target->name), {}});
      ASSERT_FALSE(checked.ok()) << row.verb << " " << target->name;
      EXPECT_TRUE(checked.error().message.ends_with(row.reason)) << checked.error().message;
      const bool family = !lacks(target->family, row.verb).empty();
      const std::string file = file_of(target->family);
      for (const VerbInfo& verb : all) {
        if (verb.words.substr(0, verb.words.find(' ')) != row.verb) continue;
        if (has_target(verb)) {
          const auto words = command_line(verb, std::string(target->name), file);
          EXPECT_TRUE(refusal(words).ends_with(row.reason)) << verb.words << refusal(words);
          ++by_target;
        }
        // These want --target, so that a file alone does not reach the table.
        const bool needs_target = verb.words == "compile" || verb.words == "plan";
        // `check` judges a .tflite for the Edge TPU, which has it compiled.
        const bool for_other = verb.words == "check" && target->family == Family::tflite;
        if (for_other) {
          EXPECT_FALSE(refusal(command_line(verb, "", file)).ends_with(row.reason));
        }
        if (!for_other && takes_file(verb) && family && !needs_target) {
          const auto words = command_line(verb, "", file);
          EXPECT_TRUE(refusal(words).ends_with(row.reason)) << verb.words << ": " << refusal(words);
          ++by_file;
        }
      }
    }
  }
  EXPECT_GE(by_target, 10);
  EXPECT_GE(by_file, 30);
}

TEST(VerbTargets, AChipIsTakenUnderAllItsNames) {
  EXPECT_TRUE(check_verb_target("compile", {"ai85", {}}).ok());
  EXPECT_FALSE(check_verb_target("compile", {"p4", {}}).ok());
  const Status unknown = check_verb_target("compile", {"esp32p5", {}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().hint.find("max78000, max78002"), std::string::npos);
}

TEST(VerbTargets, HelpAndManualHaveTheMatrix) {
  const auto page = read_file(source_dir() + "/docs/targets.md");
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(std::string(as_text(*page)), targets::targets_markdown(verbs_with_targets()))
      << "run the target update_docs";
  for (const Verb& verb : verbs()) {
    EXPECT_EQ(verb.notes.find("Targets: ") != std::string::npos, verb.meets_targets) << verb.name;
  }
  const std::string help = refusal({"edgetwin", "--help"});
  EXPECT_EQ(help, "no action");
}

}  // namespace
}  // namespace edgetwin::cli
