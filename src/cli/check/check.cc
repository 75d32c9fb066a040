#include "edgetwin/check.h"
#include "base/file.h"
#include "cli/check/arguments.h"
#include "cli/check/kinds.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "formats/darwinn/darwinn.h"
#include "report/format.h"
#include "targets/target.h"

namespace edgetwin::cli {
namespace {

using report::Json;

// Where each operator of a network for the Edge TPU is computed: all of them with --verbose.
void print_operators(const TargetCheck& check, Console& console, Json& j) {
  if (check.operators.empty()) return;
  Json rows = Json::array();
  size_t on_chip = 0;
  std::string table;
  for (const PlacedOperator& p : check.operators) {
    on_chip += p.group >= 0 ? 1 : 0;
    const std::string where = p.group < 0 ? "host" : "group " + std::to_string(p.group);
    table += "  " + where + std::string(where.size() < 9 ? 9 - where.size() : 1, ' ') +
             report::shortened(p.label, 56) + (p.rule.empty() ? "" : "  " + p.rule) + "\n";
    Json row = Json::object();
    row.set("operator", p.label).set("group", p.group);
    if (!p.rule.empty()) row.set("rule", p.rule).set("why", p.why);
    rows.push(std::move(row));
  }
  console.print("on the chip " + std::to_string(on_chip) + " of " +
                plural(check.operators.size(), "operator") + " in " +
                plural(check.groups.size(), "group") + "\n");
  if (console.options().verbose) console.print(table);
  j.set("on_chip", on_chip).set("operators", std::move(rows));
}

// Prints what was found and the verdict; true if the chip takes the model.
bool print_check(const CheckArguments& a, const TargetCheck& check, Console& console, Json& list) {
  const bool fallback = a.fail_on_fallback && !check.findings.empty();
  const bool yes = check.fits && !fallback && (!a.strict || check.count(Severity::warning) == 0);
  const std::string name(check.target->name);
  Json items = Json::array();
  for (const Finding& f : check.findings) {
    if (f.severity != Severity::note || console.options().verbose) console.print(to_text(f));
    items.push(report::to_json(f));
  }
  const std::string verdict = name + ": " + (yes ? "can run" : "cannot run as it is") + ", " +
                              plural(check.count(Severity::error), "error") + ", " +
                              plural(check.count(Severity::warning), "warning") + ", " +
                              plural(check.count(Severity::note), "note");
  Json j = Json::object();
  print_operators(check, console, j);
  console.print(verdict + "\n");
  j.set("target", name).set("yes", yes).set("verdict", verdict).set("findings", std::move(items));
  list.push(std::move(j));
  return yes;
}

OpenOptions options_of(const CheckArguments& a) {
  OpenOptions options;
  options.target = a.target;
  options.member = a.member;
  options.key = a.key;
  options.shapes = a.shapes;
  return options;
}

}  // namespace

Result<int> execute(const CheckArguments& a, Console& console) {
  const Result<Bytes> content = read_file(a.model);
  EDGETWIN_TRY_ASSIGN(
      const bool network,
      is_max78_network(content.ok() ? ByteSpan(*content) : ByteSpan(), a.max78, "check"));
  if (network) return check_max78(a, console);
  if (!content.ok()) return content.error();
  if (darwinn::container_of(*content)) return check_edgetpu(a, *content, console);
  const bool edgetpu = a.target.empty() || targets::find_id(a.target) == targets::Id::edgetpu;
  if (a.fail_on_fallback && (file_kind(*content) != FileKind::tflite || !edgetpu)) {
    return Error(ErrorCode::usage,
                 "--fail-on-fallback is for a .tflite network and --target edgetpu");
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<TargetCheck> checks,
                      check(*content, a.model, options_of(a)));
  bool yes = true;
  Json list = Json::array();
  const std::string* model = nullptr;
  for (const TargetCheck& c : checks) {
    const bool first = model == nullptr || *model != c.model;
    if (first && !c.model.empty()) console.print("model '" + c.model + "'\n");
    model = &c.model;
    yes = print_check(a, c, console, list) && yes;
  }
  console.json().set("model", a.model).set("checks", std::move(list));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
