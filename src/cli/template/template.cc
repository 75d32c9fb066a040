#include <algorithm>

#include "base/file.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/output_group.h"
#include "cli/template/arguments.h"
#include "formats/tflite/tflite.h"
#include "report/format.h"
#include "robotics/sidecar.h"
#include "robotics/trackers/spot_tracker.h"
#include "targets/edgetpu/templates/series.h"
#include "targets/edgetpu/templates/templates.h"

namespace edgetwin::cli {
namespace {

using edgetpu::templates::ArgumentWords;
using edgetpu::templates::SeriesMember;
using report::Json;

constexpr std::string_view kColor = "color_";

Error of_option(Error error) {
  if (!error.place.field.empty() && error.place.field != "KIND") {
    error.place.field = "--" + error.place.field;
  }
  return error;
}

std::string weights_text(const robotics::Rgb& weights) {
  std::string text;
  for (const double w : weights) text += (text.empty() ? "" : ",") + report::real_text(w);
  return text;
}

// A colour that has a name needs no weights, and may be named without "color_".
void add_preset(std::map<std::string, std::string>& values) {
  const auto variant = values.find("variant");
  if (variant == values.end() || values.contains("color_weights")) return;
  for (const robotics::Preset& p : robotics::presets()) {
    const std::string whole = std::string(kColor) + std::string(p.name);
    if (variant->second != whole && variant->second != p.name) continue;
    variant->second = whole;
    values["color_weights"] = weights_text(p.weights);
  }
}

// Without any size: the first of the usual ones.
Status add_size(const TemplateArguments& a, std::map<std::string, std::string>& values) {
  if (!edgetpu::templates::has_sizes(a.kind)) return Ok{};
  EDGETWIN_TRY_ASSIGN(
      const std::vector<SeriesMember> usual,
      edgetpu::templates::series(a.kind, {edgetpu::templates::standard_sizes(a.kind).front()}));
  const auto& words = usual.front().words;
  const auto given = [&values](const auto& word) { return values.contains(word.first); };
  if (std::ranges::none_of(words, given)) values.insert(words.begin(), words.end());
  return Ok{};
}

struct Made {
  Bytes file;
  robotics::Sidecar sidecar;
};

Result<Made> make(const std::string& kind, std::map<std::string, std::string> values) {
  add_preset(values);
  auto made = edgetpu::templates::build(kind, ArgumentWords(values.begin(), values.end()));
  if (!made.ok()) return of_option(std::move(made).error());
  EDGETWIN_TRY_ASSIGN(Bytes file, tflite::write(made->model));
  return Made{std::move(file), robotics::Sidecar(made->metadata)};
}

// The sizes of a series, times the colours.
Result<std::vector<SeriesMember>> members_of(const TemplateArguments& a) {
  std::vector<SeriesMember> members = {{}};
  if (a.standard && !a.sizes.empty()) {
    return Error(ErrorCode::usage, "--standard has its own sizes").in_field("--sizes");
  }
  if (a.standard || !a.sizes.empty()) {
    auto sized = edgetpu::templates::series(
        a.kind, a.standard ? edgetpu::templates::standard_sizes(a.kind) : a.sizes);
    if (!sized.ok()) return of_option(std::move(sized).error());
    members = std::move(*sized);
  }
  if (!a.all_colors) return members;
  std::vector<SeriesMember> colored;
  for (const SeriesMember& m : members) {
    for (const robotics::Preset& p : robotics::presets()) {
      SeriesMember c = m;
      c.label += (c.label.empty() ? "" : "_") + std::string(p.name);
      c.words.emplace_back("variant", std::string(kColor) + std::string(p.name));
      colored.push_back(std::move(c));
    }
  }
  return colored;
}

Result<int> make_series(const TemplateArguments& a, Console& console) {
  if (!a.metadata.empty()) {
    return Error(ErrorCode::usage, "a series writes its metadata into the folder")
        .in_field("--metadata");
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<SeriesMember> members, members_of(a));
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
  Json list = Json::array();
  std::string text;
  for (const SeriesMember& m : members) {
    std::map<std::string, std::string> values = a.values;
    for (const auto& [name, value] : m.words) {
      if (!values.emplace(name, value).second) {
        return Error(ErrorCode::usage, "the series gives --" + name + " itself")
            .in_field("--" + name);
      }
    }
    EDGETWIN_TRY_ASSIGN(const Made made, make(a.kind, values));
    const std::string name = a.kind + "_" + m.label;
    EDGETWIN_TRY(folder.write(name + ".tflite", made.file));
    EDGETWIN_TRY(folder.write(name + ".json", std::string_view(made.sidecar.text())));
    text += name + ".tflite: " + report::bytes_text(static_cast<int64_t>(made.file.size())) + "\n";
    Json j = Json::object();
    list.push(j.set("file", name + ".tflite").set("metadata", made.sidecar.json()));
  }
  EDGETWIN_TRY(folder.commit());
  console.print(text + a.output.path + ": " + std::to_string(members.size()) + " models\n");
  console.json().set("output", a.output.path).set("models", std::move(list));
  return kYes;
}

}  // namespace

Result<int> execute(const TemplateArguments& a, Console& console) {
  if (a.several()) return make_series(a, console);
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.metadata.check());
  std::map<std::string, std::string> values = a.values;
  EDGETWIN_TRY(add_size(a, values));
  EDGETWIN_TRY_ASSIGN(const Made made, make(a.kind, std::move(values)));
  OutputGroup files;
  files.add(a.metadata, made.sidecar.text());
  files.add(a.output, made.file);
  EDGETWIN_TRY(files.write());
  console.print(a.output.path + ": " + report::bytes_text(static_cast<int64_t>(made.file.size())) +
                "\n");
  console.json().set("output", a.output.path).set("metadata", made.sidecar.json());
  return kYes;
}

}  // namespace edgetwin::cli
