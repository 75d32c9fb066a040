#include <algorithm>

#include "base/text.h"
#include "cli/explain/arguments.h"
#include "cli/shared/exit_codes.h"
#include "ops/edgetpu/evidence.h"
#include "report/format.h"
#include "rules/registry.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/virtual_device/stick/rules.h"
#include "targets/espdl/check/rules.h"
#include "targets/max78/machine/state/finding_list.h"
#include "targets/max78/rules/rules.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Json rule_json(const RuleInfo& rule) {
  Json j = Json::object();
  j.set("id", rule.id).set("name", rule.name).set("severity", name(rule.severity));
  j.set("exit_code", rule.exit_code).set("title", rule.title);
  if (!rule.text.empty()) j.set("text", rule.text);
  return j.set("remedy", rule.remedy).set("evidence", name(rule.evidence));
}

// "FMT-NPY-01  (error, exit code 3)" and a line each for title, text, remedy, evidence and page.
std::string rule_text(const RuleInfo& rule, const rules::NamedTable& table) {
  std::string kind = table.about.empty() ? "" : std::string(table.about) + ", ";
  kind += name(rule.severity);
  if (rule.exit_code != 0) kind += ", exit code " + std::to_string(rule.exit_code);
  std::string text = std::string(rule.id) + "  (" + kind + ")\n";
  const auto line = [&text](std::string_view label, std::string_view words) {
    if (!words.empty()) text += "  " + std::string(label) + std::string(words) + "\n";
  };
  line("", rule.title);
  line("", rule.text);
  line("try: ", rule.remedy);
  if (rule.evidence != Evidence::definition) line("known from: ", name(rule.evidence));
  line("", table.page);
  return text;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string nearest_ids(const std::string& id) {
  constexpr size_t kShown = 3;
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const rules::NamedTable& table : rules::all_tables()) {
    for (const RuleInfo& rule : table.rows) {
      ranked.emplace_back(edit_distance(id, rule.id), rule.id);
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    text += (i ? ", " : "") + std::string(ranked[i].second);
  }
  return text;
}

void list_all(Console& console) {
  report::TextTable table({{"id"}, {"severity"}, {"exit code"}, {"title"}});
  Json rows = Json::array();
  for (const rules::NamedTable& rules : rules::all_tables()) {
    for (const RuleInfo& rule : rules.rows) {
      table.add({std::string(rule.id), std::string(name(rule.severity)),
                 std::to_string(rule.exit_code), std::string(rule.title)});
      rows.push(rule_json(rule));
    }
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
  const std::string wanted = upper(arguments.id);
  const rules::FoundRule found = rules::find(wanted);
  if (found.rule == nullptr) {
    return Error(ErrorCode::usage, "there is no id '" + arguments.id + "'")
        .with_hint("Near ones: " + nearest_ids(wanted) + "; `edgetwin explain` lists all.");
  }
  console.print(rule_text(*found.rule, *found.table));
  console.json().set("explained", rule_json(*found.rule));
  return kYes;
}

}  // namespace edgetwin::cli
