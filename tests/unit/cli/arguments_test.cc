// Command lines through the table of verbs.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "base/words/example.h"
#include "cli/demo/arguments.h"
#include "cli/run/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/parser.h"
#include "cli/verbs.h"

namespace edgetwin::cli {
namespace {

Parsed parse_words(std::vector<const char*> words, const std::vector<Verb>& table = verbs()) {
  words.insert(words.begin(), "edgetwin");
  return parse(table, static_cast<int>(words.size()), words.data());
}

// A verb that keeps its arguments instead of computing.
template <class Arguments>
Verb keeping(Arguments& kept) {
  return {.name = "verb",
          .group = "",
          .summary = "",
          .example = "",
          .declare = [&kept](OptionSet& options) -> Action {
            declare(options, kept);
            return [](Console&) -> Result<int> { return kYes; };
          }};
}

TEST(Arguments, InputsTakeOneWordEach) {
  RunArguments run;
  const std::vector<Verb> table = {keeping(run)};
  const Parsed p = parse_words(
      {"verb", "-i", "a.npy", "--input", "b=c.npy", "m.tflite", "--threads", "3"}, table);
  ASSERT_TRUE(p.action);
  EXPECT_EQ(run.model, "m.tflite");
  EXPECT_EQ(run.inputs, (std::vector<std::string>{"a.npy", "b=c.npy"}));
  EXPECT_EQ(run.compute.threads, 3);
  EXPECT_EQ(run.compute.numerics, "");
}

TEST(Arguments, UnknownWordsOfNetworksAreKeptForTheVendorsLoader) {
  RunArguments run;
  const std::vector<Verb> table = {keeping(run)};
  const Parsed p = parse_words({"verb", "net.yaml", "--fifo", "--sample", "s.npy"}, table);
  ASSERT_TRUE(p.action);
  EXPECT_EQ(run.max78.options, std::vector<std::string>{"--fifo"});
  EXPECT_EQ(run.max78.sample, "s.npy");
}

TEST(Arguments, CommonOptionsGoAnywhereAfterTheVerb) {
  const Parsed p = parse_words({"info", "--json", "x", "--color", "never", "y"});
  ASSERT_TRUE(p.action);
  EXPECT_TRUE(p.console.json);
  EXPECT_EQ(p.console.color, Color::never);
  EXPECT_EQ(p.console.command, "info");
  EXPECT_EQ(p.console.words.size(), 7U);
}

TEST(Arguments, AVerbBelowAnotherHasBothWords) {
  const Parsed p = parse_words({"lut", "advise", "swish", "--in-exponent", "-12"});
  ASSERT_TRUE(p.action);
  EXPECT_EQ(p.console.command, "lut advise");
}

TEST(Arguments, EveryMistakeIsWrongUse) {
  const std::vector<std::vector<const char*>> mistakes = {{},
                                                          {"dance"},
                                                          {"info"},
                                                          {"run"},
                                                          {"run", "m", "--threads", "257"},
                                                          {"run", "m", "--threads"},
                                                          {"diff", "a"},
                                                          {"diff", "a", "b", "c"},
                                                          {"diff", "a", "b", "--tolerance", "nan"},
                                                          {"bench", "m", "--runs", "x"},
                                                          {"report", "m"},
                                                          {"info", "f", "--color", "blue"},
                                                          {"explain", "A", "B"},
                                                          {"lut"},
                                                          {"demo", "simple_invoker"}};
  for (const auto& words : mistakes) {
    const Parsed p = parse_words(words);
    ASSERT_TRUE(p.error) << (words.empty() ? "nothing" : words[0]);
    EXPECT_EQ(info(p.error->code).exit_code, kUsage);
  }
}

TEST(Arguments, FormerSpellingsAreStillTaken) {
  RunArguments run;
  const std::vector<Verb> table = {keeping(run)};
  ASSERT_TRUE(
      parse_words({"verb", "m", "--decode", "ssd", "--draw", "a.png", "--force"}, table).action);
  EXPECT_EQ(run.image.path, "a.png");
  EXPECT_EQ(run.image.overwrite, Overwrite::yes);
  EXPECT_EQ(parse_words({"run", "--help"}).text.find("--draw"), std::string::npos);
}

TEST(Arguments, HelpFitsInto80Columns) {
  std::vector<std::vector<std::string>> asked = {{"--help"}};
  for (const VerbInfo& info : describe(verbs())) {
    std::istringstream words(info.words);
    asked.emplace_back(std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
    asked.back().emplace_back("--help");
  }
  for (const auto& words : asked) {
    std::vector<const char*> line;
    for (const std::string& word : words) line.push_back(word.c_str());
    std::istringstream text(parse_words(line).text);
    ASSERT_FALSE(text.str().empty()) << words[0];
    for (std::string row; std::getline(text, row);) {
      const auto columns =
          std::count_if(row.begin(), row.end(), [](char c) { return (c & '\xC0') != '\x80'; });
      EXPECT_LE(columns, 80) << words[0] << ": " << row;
    }
  }
}

TEST(Arguments, ALongExampleGoesOnAfterABackslash) {
  EXPECT_EQ(shown_example("edgetwin info a.tflite"), "  edgetwin info a.tflite");
  const std::string value(60, 'v');
  EXPECT_EQ(shown_example("edgetwin run m --input " + value + " -o out"),
            "  edgetwin run m \\\n    --input " + value + " -o out");
  for (const Verb& verb : verbs()) {
    std::istringstream shown(shown_example(verb.example));
    std::string pasted;
    for (std::string word; shown >> word;) {
      if (word != "\\") pasted += (pasted.empty() ? "" : " ") + word;
    }
    EXPECT_EQ(pasted, verb.example);
  }
}

TEST(Arguments, HelpAndVersionAreTexts) {
  EXPECT_NE(parse_words({"--help"}).text.find("Example:"), std::string::npos);
  EXPECT_EQ(parse_words({"--version"}).text.rfind("edgetwin ", 0), 0U);
  for (const Verb& verb : verbs()) {
    const std::string text = parse_words({verb.name.c_str(), "--help"}).text;
    EXPECT_NE(text.find("Usage: edgetwin " + verb.name), std::string::npos);
    EXPECT_NE(text.find("Example:\n  edgetwin " + verb.name), std::string::npos);
  }
}

}  // namespace
}  // namespace edgetwin::cli
