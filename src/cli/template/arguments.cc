#include "cli/template/arguments.h"

#include <algorithm>

#include "cli/template/fft.h"
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

void declare_kind(OptionSet& options, const templates::Kind& kind, TemplateArguments& a) {
  for (const templates::Argument& argument : kind.arguments) {
    const std::string name(argument.name);
    std::string text(argument.text);
    if (!argument.initial.empty()) text += "; " + argument.initial + " without it";
    OptionHandle option = options.setting(
        option_names(name), [&a, name](const std::string& word) { a.values[name] = word; },
        word_of(argument.type), text);
    if (argument.required) option.required();
  }
  options.file("-o,--output", a.output, "The model").required();
  options.file("--metadata", a.metadata, "What stands beside the model, as JSON");
  options.force("Overwrite existing files");
}

std::string example_of(const templates::Kind& kind) {
  std::string text = "edgetwin template " + std::string(kind.name);
  for (const templates::Argument& argument : kind.arguments) {
    if (!argument.required) continue;
    const bool small = argument.name == "ksize" || argument.name.starts_with("kernel");
    text += " --" + std::string(argument.name) + (small ? " 8" : " 64");
  }
  return text + " -o net.tflite";
}

Verb verb_of(const templates::Kind& kind) {
  const auto declare_all = [&kind](OptionSet& options) -> Action {
    const auto arguments = std::make_shared<TemplateArguments>();
    arguments->kind = kind.name;
    declare_kind(options, kind, *arguments);
    return [arguments](Console& console) { return execute(*arguments, console); };
  };
  return {.name = std::string(kind.name),
          .group = "",
          .summary = std::string(kind.text),
          .example = example_of(kind),
          .declare = declare_all};
}

}  // namespace

Verb verb_template() {
  Verb verb = {.name = "template",
               .group = group::kRobotics,
               .summary = "Robotics networks and Fourier transforms, from formulas",
               .example =
                   "edgetwin template spot_tracker --height 64 --width 64 -o spot.tflite "
                   "--metadata spot.json"};
  for (const templates::Kind& kind : templates::kinds()) verb.verbs.push_back(verb_of(kind));
  verb.verbs.push_back(verb_template_fft());
  return verb;
}

}  // namespace edgetwin::cli
