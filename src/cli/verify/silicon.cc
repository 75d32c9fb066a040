#include "cli/verify/kinds.h"

#include <map>

#include "cli/verify/verify_report.h"
#include "report/format.h"
#include "targets/max78/recordings/recordings.h"
#include "twin/verify/boards.h"
#include "twin/verify/recordings.h"

namespace edgetwin::cli {
namespace {

namespace silicon = edgetpu::silicon;
using report::Json;
using silicon::Check;
using silicon::Outcome;

Json check_json(const Check& c) {
  Json j = Json::object();
  j.set("case", c.id).set("kind", std::string(name(c.kind))).set("what", c.what);
  j.set("outcome", std::string(name(c.outcome))).set("detail", c.detail);
  j.set("numerics", c.numerics);
  if (c.outcome == Outcome::missing) return j;
  j.set("model", c.file).set("ties", c.ties);
  if (c.recorded_ties) j.set("recorded_ties", *c.recorded_ties);
  Json open = Json::array();
  for (const Finding& f : c.open) open.push(report::to_json(f));
  return std::move(j.set("open", std::move(open)));
}

std::string ties_text(const Check& c) {
  if (c.outcome == Outcome::missing || c.ties == 0) return "";
  return report::count_text(c.ties) + (c.ties == 1 ? " exact tie" : " exact ties");
}

// What is not settled in the arithmetic and was touched, once for each statement.
void report_open(const silicon::Report& result, VerifyReport& results) {
  struct Touched {
    Finding example;
    size_t operators = 0;
    std::string first;
  };
  std::map<std::string, Touched> by_id;
  for (const Check& c : result.checks) {
    for (const Finding& f : c.open) {
      Touched& t = by_id[f.id];
      if (t.operators++ == 0) t.example = f, t.first = c.id;
    }
  }
  for (const auto& [id, t] : by_id) {
    Finding f = t.example;
    f.message += "; in all at " + std::to_string(t.operators) +
                 (t.operators == 1 ? " operator" : " operators") + " of the cases, first in '" +
                 t.first + "'";
    results.finding(f);
  }
}

void print_checks(const silicon::Report& result, VerifyReport& results) {
  report::TextTable table({{""}, {"case"}, {"result"}, {"arithmetic"}, {"found"}});
  Json list = Json::array();
  for (const Check& c : result.checks) {
    const std::string ties = ties_text(c);
    const std::string detail = c.detail + (ties.empty() ? "" : "; " + ties);
    table.add({std::string(name(c.outcome)), c.id, c.what, c.numerics, detail});
    results.only_on_page({c.outcome == Outcome::equal, std::string(name(c.outcome)),
                          c.id + ", " + c.what, c.numerics + ": " + detail});
    list.push(check_json(c));
  }
  results.console().print(table.text(0));
  results.console().json().set("checks", std::move(list));
}

Status show_failures(const silicon::Report& result, Console& console) {
  for (const Check& c : result.checks) {
    if (c.outcome == Outcome::equal) continue;
    const bool missing = c.outcome == Outcome::missing;
    Finding f;
    f.severity = missing ? Severity::warning : Severity::error;
    const RuleInfo& row = info(missing ? ErrorCode::silicon_missing : ErrorCode::silicon_differs);
    f.id = row.id;
    f.place = c.id;
    f.message = c.what + ": " + c.detail;
    f.hint = row.remedy;
    console.finding(f);
  }
  return Ok{};
}

}  // namespace

Result<int> verify_silicon(const VerifyArguments& a, Console& console) {
  if (!a.model.empty() || !a.logs.empty()) {
    return Error(ErrorCode::usage, "--silicon goes without a model and without logs")
        .with_hint("The cases name their models; --models says where they are.");
  }
  if (max78::is_max78_recordings(a.silicon)) {
    if (!a.models.empty() || a.from_compiled || !a.compute.numerics.empty()) {
      return Error(ErrorCode::usage,
                   "--models, --from-compiled and --numerics change nothing for results of the "
                   "MAX78000")
          .with_hint("Leave them out: the cases bring their programs and networks.");
    }
    return verify_max78_silicon(a, console);
  }
  if (twin::is_board_results(a.silicon)) {
    if (a.from_compiled || !a.compute.numerics.empty()) {
      return Error(ErrorCode::usage,
                   "--from-compiled and --numerics change nothing for results of ESP-DL")
          .with_hint("Leave them out: each model says its chip.");
    }
    return verify_espdl_silicon(a, console);
  }
  VerifyReport results(a, console);
  EDGETWIN_TRY(results.can_be_written());
  EDGETWIN_TRY_ASSIGN(const silicon::Report result,
                      twin::verify_recordings({a.silicon, a.models, a.compute.numerics,
                                               a.compute.threads, a.from_compiled},
                                              console.progress_sink()));
  results.title("Recorded device results");
  results.asked("folder", a.silicon);
  print_checks(result, results);
  report_open(result, results);
  EDGETWIN_TRY(show_failures(result, console));
  const size_t equal = result.count(Outcome::equal);
  const size_t different = result.count(Outcome::different);
  const bool yes = result.equal() && equal > 0;
  const std::string line = std::to_string(equal) + " equal, " + std::to_string(different) +
                           " different, " + std::to_string(result.count(Outcome::missing)) +
                           " missing";
  console.print(line + "\n" + (yes ? "verified\n" : "not verified\n"));
  console.json().set("equal", equal).set("different", different);
  console.json().set("missing", result.count(Outcome::missing));
  return results.finish(yes, (yes ? "verified: " : "not verified: ") + line);
}

}  // namespace edgetwin::cli
