#include "cli/arguments_silicon.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {}  // namespace

void add_silicon_verify(CLI::App* verb, VerifyArguments& a) {
  const char* group = "Results recorded on Edge TPU devices";
  verb->add_option("--silicon", a.silicon,
                   "Folder with a cases.json: every result must come out again;\n--numerics "
                   "edgetpu:… computes device results only, another only the others")
      ->check(not_empty)
      ->option_text("DIR")
      ->group(group);
  verb->add_option("--models", a.models,
                   "Folders with the models and pictures of the cases; DIR/../models is\nsearched "
                   "without it")
      ->check(not_empty)
      ->option_text("DIR")
      ->allow_extra_args(false)
      ->needs("--silicon")
      ->group(group);
  verb->add_flag("--from-compiled", a.from_compiled,
                 "Open the compiled model where its source is there too")
      ->option_text(" ")
      ->needs("--silicon")
      ->group(group);
}

}  // namespace edgetwin::cli
