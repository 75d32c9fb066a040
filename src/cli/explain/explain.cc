#include "edgetwin/explain.h"
#include "cli/explain/arguments.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Json rule_json(const Explanation& rule) {
  Json j = Json::object();
  j.set("id", rule.id).set("name", rule.name).set("severity", name(rule.severity));
  j.set("exit_code", rule.exit_code).set("title", rule.title);
  if (!rule.text.empty()) j.set("text", rule.text);
  return j.set("remedy", rule.remedy).set("evidence", rule.evidence);
}

// "FMT-NPY-01  (error, exit code 3)" and a line each for title, text, remedy, evidence and page.
std::string rule_text(const Explanation& rule) {
  std::string kind = rule.about.empty() ? "" : std::string(rule.about) + ", ";
  kind += name(rule.severity);
  if (rule.exit_code != 0) kind += ", exit code " + std::to_string(rule.exit_code);
  std::string text = std::string(rule.id) + "  (" + kind + ")\n";
  const auto line = [&text](std::string_view label, std::string_view words) {
    if (!words.empty()) text += "  " + std::string(label) + std::string(words) + "\n";
  };
  line("", rule.title);
  line("", rule.text);
  line("try: ", rule.remedy);
  if (rule.evidence != "definition") line("known from: ", rule.evidence);
  line("", rule.page);
  return text;
}

void list_all(Console& console) {
  report::TextTable table({{"id"}, {"severity"}, {"exit code"}, {"title"}});
  Json rows = Json::array();
  for (const Explanation& rule : all_explanations()) {
    table.add({std::string(rule.id), std::string(name(rule.severity)),
               std::to_string(rule.exit_code), std::string(rule.title)});
    rows.push(rule_json(rule));
  }
  console.print(table.text(0));
  console.json().set("ids", std::move(rows));
}

}  // namespace

Result<int> execute(const ExplainArguments& arguments, Console& console) {
  if (arguments.id.empty()) {
    list_all(console);
    return kYes;
  }
  const Explanation* found = explain(arguments.id);
  if (found == nullptr) {
    std::string near;
    for (const std::string_view id : near_ids(arguments.id))
      near += (near.empty() ? "" : ", ") + std::string(id);
    return Error(ErrorCode::usage, "there is no id '" + arguments.id + "'")
        .with_hint("Near ones: " + near + "; `edgetwin explain` lists all.");
  }
  console.print(rule_text(*found));
  console.json().set("explained", rule_json(*found));
  return kYes;
}

}  // namespace edgetwin::cli
