#include "cli/arguments_template.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::cli {
namespace {

namespace templates = edgetpu::templates;
using Type = templates::Argument::Type;

const char* word_of(Type type) {
  switch (type) {
    case Type::integer:
      return "N";
    case Type::number:
      return "X";
    case Type::list:
      return "X,..";
    case Type::weights:
      return "N,..";
    case Type::word:
      break;
  }
  return "WORD";
}

// "--search_h,--search-h": the name of the table, and as other options here are spelled.
std::string option_names(const std::string& name) {
  std::string dashes = name;
  std::replace(dashes.begin(), dashes.end(), '_', '-');
  return dashes == name ? "--" + name : "--" + name + ",--" + dashes;
}

void add_kind(CLI::App* verb, const templates::Kind& kind, TemplateArguments& a) {
  const std::string name(kind.name);
  CLI::App* below = verb->add_subcommand(name, std::string(kind.text));
  below->callback([&a, name] { a.kind = name; });
  std::string example = "edgetwin template " + name;
  for (const templates::Argument& argument : kind.arguments) {
    const std::string argument_name(argument.name);
    std::string text(argument.text);
    if (!argument.initial.empty()) text += "; " + argument.initial + " without it";
    CLI::Option* option = below->add_option_function<std::string>(
        option_names(argument_name),
        [&a, name, argument_name](const std::string& word) {
          a.values[name][argument_name] = word;
        },
        text);
    option->option_text(word_of(argument.type))->required(argument.required);
    if (argument.required) {
      const bool small = argument.name == "ksize" || argument.name.starts_with("kernel");
      example += " --" + argument_name + (small ? " 8" : " 64");
    }
  }
  below->add_option("-o,--output", a.output, "The model")
      ->required()
      ->check(not_empty)
      ->option_text("FILE");
  below->add_option("--metadata", a.metadata, "What stands beside the model, as JSON")
      ->check(not_empty)
      ->option_text("FILE");
  below->add_flag("--force", a.force, "Overwrite existing files");
  below->footer("Example:\n  " + example + " -o net.tflite");
}

}  // namespace

void add_template(CLI::App& app, TemplateArguments& a) {
  CLI::App* verb =
      app.add_subcommand("template", "Networks of the robotics modules, made from formulas");
  verb->require_subcommand(1);
  verb->footer(
      "Example:\n  edgetwin template spot_tracker --height 64 --width 64 -o spot.tflite "
      "--metadata spot.json");
  for (const templates::Kind& kind : templates::kinds()) add_kind(verb, kind, a);
}

}  // namespace edgetwin::cli
