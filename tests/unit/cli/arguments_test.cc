#include "cli/arguments.h"

#include <gtest/gtest.h>

#include "cli/exit_codes.h"

namespace edgetwin::cli {
namespace {

Parsed parse(std::vector<const char*> words) {
  words.insert(words.begin(), "edgetwin");
  return parse_arguments(static_cast<int>(words.size()), words.data());
}

TEST(Arguments, InputsTakeOneWordEach) {
  const Parsed p =
      parse({"run", "-i", "a.npy", "--input", "b=c.npy", "m.tflite", "--threads", "3"});
  ASSERT_TRUE(p.arguments);
  const auto& run = std::get<RunArguments>(p.arguments->verb);
  EXPECT_EQ(run.model, "m.tflite");
  EXPECT_EQ(run.inputs, (std::vector<std::string>{"a.npy", "b=c.npy"}));
  EXPECT_EQ(run.compute.threads, 3);
  EXPECT_EQ(run.compute.numerics, "");
}

TEST(Arguments, CommonOptionsStandAnywhereBehindTheVerb) {
  const Parsed p = parse({"info", "--json", "x", "--color", "never", "y"});
  ASSERT_TRUE(p.arguments);
  EXPECT_TRUE(p.arguments->console.json);
  EXPECT_EQ(p.arguments->console.color, Color::never);
  EXPECT_EQ(std::get<InfoArguments>(p.arguments->verb).files.size(), 2U);
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
                                                          {"explain", "A", "B"}};
  for (const auto& words : mistakes) {
    const Parsed p = parse(words);
    ASSERT_TRUE(p.error) << (words.empty() ? "nothing" : words[0]);
    EXPECT_EQ(info(p.error->code).exit_code, kUsage);
  }
}

TEST(Arguments, HelpAndVersionAreTexts) {
  EXPECT_NE(parse({"--help"}).text.find("Example:"), std::string::npos);
  EXPECT_EQ(parse({"--version"}).text.rfind("edgetwin ", 0), 0U);
  for (const char* verb : {"info", "run", "diff", "bench", "report", "explain"}) {
    const std::string text = parse({verb, "--help"}).text;
    EXPECT_NE(text.find("Usage: edgetwin " + std::string(verb)), std::string::npos);
    EXPECT_NE(text.find("Example:\n  edgetwin " + std::string(verb)), std::string::npos);
  }
}

}  // namespace
}  // namespace edgetwin::cli
