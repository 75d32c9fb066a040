// docs/cli.md says what the program does: its options, exit codes and ids.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "base/file.h"
#include "cli/arguments.h"
#include "cli/exit_codes.h"
#include "ops/edgetpu/evidence.h"
#include "ops/edgetpu/options.h"
#include "source_dir.h"

namespace edgetwin::cli {
namespace {

std::string manual() {
  const auto bytes = read_file(source_dir() + "/docs/cli.md");
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
}

// The part of the manual under "## <verb>".
std::string section(const std::string& text, const std::string& verb) {
  const size_t begin = text.find("\n## " + verb + "\n");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find("\n## ", begin + 1) - begin);
}

std::set<std::string> options_of(const std::string& help) {
  static const std::regex kOption("--[a-z][a-z-]*");
  std::set<std::string> found;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("  -", 0) != 0) continue;  // names stand at the start of a line only
    const std::string names = line.substr(0, line.find("  ", 3));
    for (std::sregex_iterator it(names.begin(), names.end(), kOption), end; it != end; ++it) {
      found.insert(it->str());
    }
  }
  return found;
}

constexpr const char* kVerbs[] = {
    "info", "run",    "check",   "verify",   "diff",   "bench", "report", "explain", "firmware",
    "pack", "unpack", "compile", "quantize", "disasm", "asm",   "patch",  "devices", "decompile"};

// Those that compute share the options for ESP-DL and ONNX models, and of `run` how it computes.
bool takes_models(std::string_view verb) {
  return verb == "run" || verb == "bench" || verb == "report" || verb == "verify" ||
         verb == "firmware";
}

std::string section_of(const std::string& text, const std::string& verb) {
  const std::string own = section(text, verb == "pack" || verb == "unpack" ? "pack, unpack" : verb);
  const std::string device = section(text, "Edge TPU devices");
  if (verb == "bench") return own + device;
  if (verb == "verify" || verb == "firmware") return own + section(text, "run") + device;
  const bool networks = verb == "run" || verb == "check" || verb == "compile" || verb == "info";
  return networks ? own + section(text, "MAX78000 and MAX78002") + device : own;
}

TEST(Manual, NamesEveryOptionOfEveryVerb) {
  const std::string text = manual();
  const std::string common = section(text, "Options of every verb");
  for (const char* verb : kVerbs) {
    const std::string espdl =
        takes_models(verb) ? section(text, "ESP-DL models") + section(text, "ONNX networks") : "";
    const std::string own = section_of(text, verb) + espdl;
    ASSERT_FALSE(own.empty()) << verb;
    const char* words[] = {"edgetwin", verb, "--help"};
    const std::set<std::string> options = options_of(parse_arguments(3, words).text);
    EXPECT_GE(options.size(), 5U) << verb;
    for (const std::string& option : options) {
      const bool documented = (own + common).find(option) != std::string::npos;
      EXPECT_TRUE(documented) << verb << " " << option;
    }
  }
}

TEST(Manual, HasTheExamplesOfTheHelpTexts) {
  const std::string text = manual();
  for (const char* verb : kVerbs) {
    const char* words[] = {"edgetwin", verb, "--help"};
    const std::string help = parse_arguments(3, words).text;
    const std::string example = help.substr(help.find("Example:\n  ") + 11);
    EXPECT_NE(section_of(text, verb).find(example), std::string::npos) << example;
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
  for (const ErrorInfo& row : all_errors()) EXPECT_TRUE(known.count(row.exit_code)) << row.id;
}

// docs/numerics.md has the rows of edgetpu_options.def and edgetpu_evidence.def, word for word.
TEST(NumericsPage, HasWhatIsOpenInTheEdgeTpusArithmetic) {
  const auto bytes = read_file(source_dir() + "/docs/numerics.md");
  ASSERT_TRUE(bytes.ok());
  const std::string page(as_text(*bytes));
  const auto expect_row = [&](const std::string& row) {
    EXPECT_NE(page.find("\n" + row + "\n"), std::string::npos) << row;
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
