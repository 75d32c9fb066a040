// The manual pages have every key, choice and name of the tables.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "source_dir.h"

namespace edgetwin::ai8x {
namespace {

std::string page(const std::string& name) {
  std::ifstream file(source_dir() + "/docs/formats/" + name);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

void expect_word(const std::string& text, const std::string& word) {
  EXPECT_NE(text.find("`" + word + "`"), std::string::npos) << word;
}

TEST(Ai8xManual, HasEveryKeyAndChoice) {
  const std::string text = page("ai8x.md");
#define LAYER_KEY(key, kind, low, high, default_text) expect_word(text, #key);
#define ALIAS(spelling, key) expect_word(text, #spelling);
#define TOP_KEY(key, mandatory) expect_word(text, #key);
#define UNLOAD_KEY(key, mandatory) expect_word(text, #key);
#define BUFFER_KEY(key, mandatory) expect_word(text, #key);
#include "formats/ai8x/keys.def"
#define OPERATOR(spelling, op, eltwise) expect_word(text, spelling);
#include "formats/ai8x/operators.def"
}

TEST(TorchManual, HasEveryName) {
  const std::string text = page("torch.md");
#define GLOBAL(module, name, role) EXPECT_NE(text.find(name), std::string::npos) << name;
#include "formats/torch/globals.def"
}

}  // namespace
}  // namespace edgetwin::ai8x
