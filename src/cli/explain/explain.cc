#include <algorithm>

#include "base/text.h"
#include "cli/explain/arguments.h"
#include "cli/shared/exit_codes.h"
#include "ops/edgetpu_evidence.h"
#include "report/format.h"
#include "targets/edgetpu/inspect/check.h"
#include "targets/edgetpu/virtual_device/stick/rules.h"
#include "targets/espdl/rules.h"
#include "targets/max78/machine/finding_list.h"
#include "targets/max78/rules.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Json row_json(const ErrorInfo& row) {
  Json j = Json::object();
  j.set("id", row.id).set("name", row.name).set("exit_code", row.exit_code);
  return j.set("meaning", row.meaning).set("try", row.cure);
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string nearest(const std::string& id) {
  constexpr size_t kShown = 3;
  std::vector<std::pair<size_t, std::string_view>> ranked;
  for (const ErrorInfo& row : all_errors()) ranked.emplace_back(edit_distance(id, row.id), row.id);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text;
  for (size_t i = 0; i < std::min(kShown, ranked.size()); ++i) {
    text += (i ? ", " : "") + std::string(ranked[i].second);
  }
  return text;
}

void list_all(Console& console) {
  report::TextTable table({{"id"}, {"exit code"}, {"meaning"}});
  Json rows = Json::array();
  for (const ErrorInfo& row : all_errors()) {
    table.add({std::string(row.id), std::to_string(row.exit_code), std::string(row.meaning)});
    rows.push(row_json(row));
  }
  console.print(table.text(0));
  console.json().set("ids", std::move(rows));
}

bool explain_max78_rule(const std::string& id, Console& console) {
  for (const max78::RuleInfo& rule : max78::all_rules()) {
    if (rule.id != id) continue;
    console.print(std::string(rule.id) + "  (a rule of MAX78000 and MAX78002)\n  " +
                  std::string(rule.meaning) + "\n  try: " + std::string(rule.cure) + "\n");
    Json j = Json::object();
    j.set("id", rule.id).set("meaning", rule.meaning).set("try", rule.cure);
    console.json().set("explained", std::move(j));
    return true;
  }
  return false;
}

// What the machine of MAX78000 and MAX78002 may notice.
bool explain_max78_event(const std::string& id, Console& console) {
  static constexpr const char* kWords[] = {"note", "warning", "error"};
  for (const max78::EventInfo& event : max78::all_events()) {
    if (event.id != id) continue;
    const char* severity = kWords[static_cast<size_t>(event.severity)];
    console.print(std::string(event.id) + "  (a finding of the MAX7800x machine, " + severity +
                  ")\n  " + std::string(event.meaning) + "\n  docs/max78-machine.md\n");
    Json j = Json::object();
    j.set("id", event.id).set("severity", severity).set("meaning", event.meaning);
    console.json().set("explained", std::move(j));
    return true;
  }
  return false;
}

// A row of a target's table of rules; both tables have the same columns.
template <class Rule>
void show_rule(const Rule& rule, std::string_view evidence, Console& console) {
  static constexpr const char* kWords[] = {"note", "warning", "error"};
  const char* severity = kWords[static_cast<size_t>(rule.severity)];
  console.print(std::string(rule.id) + "  (a rule of `check`, " + severity + ")\n  " +
                std::string(rule.title) + "\n  " + std::string(rule.text) +
                "\n  known from: " + std::string(evidence) + "\n");
  Json j = Json::object();
  j.set("id", rule.id).set("severity", severity).set("title", rule.title);
  j.set("text", rule.text).set("evidence", evidence);
  console.json().set("explained", std::move(j));
}

bool explain_edgetpu_rule(const std::string& id, Console& console) {
  const edgetpu::RuleInfo* rule = edgetpu::find_rule(id);
  if (rule != nullptr) show_rule(*rule, edgetpu::name(rule->evidence), console);
  return rule != nullptr;
}

// What the virtual stick complains of.
bool explain_stick_rule(const std::string& id, Console& console) {
  const edgetpu::StickRuleInfo* rule = edgetpu::find_stick_rule(id);
  if (rule == nullptr) return false;
  const char* severity = rule->severity == Severity::error ? "error" : "warning";
  console.print(std::string(rule->id) + "  (a complaint of the virtual stick, " + severity +
                ")\n  " + std::string(rule->title) + "\n  " + std::string(rule->text) +
                "\n  docs/edgetpu-stick.md\n");
  Json j = Json::object();
  j.set("id", rule->id).set("severity", severity).set("title", rule->title);
  console.json().set("explained", std::move(j.set("text", rule->text)));
  return true;
}

// A statement about the Edge TPU's arithmetic.
bool explain_edgetpu(const std::string& id, Console& console) {
  for (const ops::EdgetpuEvidence& row : ops::edgetpu_evidence()) {
    if (row.id != id) continue;
    const std::string status(ops::name(row.status));
    console.print(std::string(row.id) + "  (the Edge TPU's arithmetic, " + status + ")\n  " +
                  std::string(row.statement) + "\n  known from: " + std::string(row.basis) + "\n");
    Json j = Json::object();
    j.set("id", row.id).set("status", status).set("statement", row.statement);
    console.json().set("explained", std::move(j.set("basis", row.basis)));
    return true;
  }
  return false;
}

// A rule of a target; false if it is none.
bool explain_rule(const std::string& id, Console& console) {
  if (explain_max78_rule(id, console) || explain_max78_event(id, console) ||
      explain_edgetpu_rule(id, console) || explain_stick_rule(id, console) ||
      explain_edgetpu(id, console)) {
    return true;
  }
  const auto* rule = targets::espdl::find_rule(id);
  if (rule != nullptr) show_rule(*rule, targets::espdl::name(rule->evidence), console);
  return rule != nullptr;
}

}  // namespace

Result<int> execute(const ExplainArguments& arguments, Console& console) {
  if (arguments.id.empty()) {
    list_all(console);
    return kYes;
  }
  const std::string wanted = upper(arguments.id);
  const auto& rows = all_errors();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const ErrorInfo& row) { return row.id == wanted; });
  if (found == rows.end() && explain_rule(wanted, console)) return kYes;
  if (found == rows.end()) {
    return Error(ErrorCode::usage, "there is no id '" + arguments.id + "'")
        .with_hint("Near ones: " + nearest(wanted) + "; `edgetwin explain` lists all.");
  }
  console.print(std::string(found->id) + "  (exit code " + std::to_string(found->exit_code) +
                ")\n  " + std::string(found->meaning) + "\n  try: " + std::string(found->cure) +
                "\n");
  console.json().set("explained", row_json(*found));
  return kYes;
}

}  // namespace edgetwin::cli
