#include "cli/template/arguments.h"

#include <algorithm>

#include "cli/template/fft.h"
#include "cli/template/tiny.h"
#include "robotics/trackers/spot_tracker.h"
#include "targets/edgetpu/templates/series.h"
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

// The colours that have a name; any other needs its weights.
std::string colors_text() {
  std::string text = ", NAME one of";
  for (const robotics::Preset& p : robotics::presets()) text += " " + std::string(p.name);
  return text + ", or another with --color-weights";
}

// What an argument is where no size is given; empty: it is not a size.
std::string usual_size(std::string_view kind, std::string_view argument) {
  if (!templates::has_sizes(kind)) return {};
  const auto usual = templates::series(kind, {templates::standard_sizes(kind).front()});
  if (!usual.ok()) return {};
  for (const auto& [name, value] : usual->front().words) {
    if (name == argument) return value;
  }
  return {};
}

void declare_series(OptionSet& options, const templates::Kind& kind, TemplateArguments& a) {
  if (!templates::has_sizes(kind.name)) return;
  std::string standard;
  for (const std::string& size : templates::standard_sizes(kind.name)) standard += " " + size;
  options.list("--sizes", a.sizes, "N,..",
               standard.find('/') == std::string::npos
                   ? "A model of each size, instead of one"
                   : "A model of each size, picture/pattern, instead of one");
  options.flag("--standard", a.standard, "A model of each usual size:" + standard);
  if (kind.name != "spot_tracker") return;
  options.flag("--all-colors", a.all_colors, "A model of each colour that has a name");
}

void declare_kind(OptionSet& options, const templates::Kind& kind, TemplateArguments& a) {
  for (const templates::Argument& argument : kind.arguments) {
    const std::string name(argument.name);
    std::string text(argument.text);
    if (argument.name == "variant") text += colors_text();
    const std::string usual = usual_size(kind.name, argument.name);
    if (!argument.initial.empty()) text += "; " + argument.initial + " without it";
    if (!usual.empty()) text += "; " + usual + " without any size";
    OptionHandle option = options.setting(
        option_names(name), [&a, name](const std::string& word) { a.values[name] = word; },
        word_of(argument.type), text);
    // A series gives the sizes itself.
    if (argument.required && !templates::has_sizes(kind.name)) option.required();
  }
  declare_series(options, kind, a);
  options.output("-o,--output", a.output, "PATH", "The model; of a series the folder of its models")
      .required();
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
  verb.verbs.push_back(verb_template_tiny());
  return verb;
}

}  // namespace edgetwin::cli
