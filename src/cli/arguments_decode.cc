#include "cli/arguments_decode.h"

#include <CLI/CLI.hpp>

namespace edgetwin::cli {

void add_decode(CLI::App* verb, RunArguments& a) {
  const std::vector<std::string> names = {
#define DECODER(name, result, resize, meaning) #name,
#include "decode/decoders.def"
#undef DECODER
  };
  const auto not_empty = [](const std::string& word) {
    return word.empty() ? std::string("the name is empty") : std::string();
  };
  std::string help = "Prints what the outputs mean:";
  for (size_t i = 0; i < names.size(); ++i) {
    help += (i == 0 ? " " : i % 5 == 0 ? ",\n" : ", ") + names[i];
  }
  verb->add_option("--decode", a.decode, help)->check(CLI::IsMember(names))->option_text("NAME");
  verb->add_option("--draw", a.picture, "With --decode: the picture with the result, PNG")
      ->check(not_empty)
      ->option_text("FILE")
      ->needs("--decode");
  verb->add_option("--threshold", a.threshold, "With --decode: what has a lower score is left out")
      ->check(CLI::Range(0.0, 1.0))
      ->option_text("X");
}

}  // namespace edgetwin::cli
