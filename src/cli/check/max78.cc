// `check` of a network description.
#include <algorithm>
#include <utility>

#include "cli/check/kinds.h"
#include "cli/networks/max78.h"
#include "cli/shared/exit_codes.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/page/texts.h"
#include "targets/target.h"

namespace edgetwin::cli {

namespace {

Result<int> check_on(const std::string& target, const CheckArguments& a, Console& console) {
  Max78Arguments m = a.max78;
  m.network = a.model;
  m.target = target;
  EDGETWIN_TRY(check_max78_pages(m));
  EDGETWIN_TRY_ASSIGN(Max78Outcome outcome,
                      load_max78(m, max78::SampleNeed::size_only, console, true));
  if (a.strict && outcome.ok &&
      std::any_of(outcome.findings.begin(), outcome.findings.end(),
                  [](const Finding& f) { return f.severity == Severity::warning; })) {
    outcome.ok = false;
    outcome.exit_code = kNo;
  }
  const char* no =
      outcome.exit_code == kInput ? ": the files cannot be used" : ": the network does not fit";
  const char* fits = outcome.stands_in
                         ? ": the network fits, as far as it can be said without weights"
                         : ": the network fits";
  const std::string verdict = m.target + (outcome.ok ? fits : no);
  if (outcome.job != nullptr && outcome.job->planning.hardware != nullptr) {
    const std::string map = max78::memory_map(outcome.job->planning);
    console.print(map);
    console.json().set("memory", max78::memory_json(outcome.job->planning));
  }
  if (outcome.ok) {
    if (outcome.stands_in) console.print(max78::statistics_text(outcome.job->plan()));
    console.json().set("statistics", max78::statistics_json(outcome.job->plan()));
  }
  show_stand_in(outcome, console);
  EDGETWIN_TRY(write_max78_pages(m, outcome, verdict, console));
  console.print(verdict + "\n");
  console.json().set("model", m.network).set("target", m.target).set("yes", outcome.ok);
  return outcome.exit_code;
}

}  // namespace

// Without a target both chips answer, one after the other.
Result<int> check_max78(const CheckArguments& a, Console& console) {
  if (!a.target.empty()) return check_on(a.target, a, console);
  if (!a.max78.report.empty() || !a.max78.image.empty()) {
    return Error(ErrorCode::usage, "a page or picture is of one chip")
        .with_hint("Add --target max78000 or --target max78002.");
  }
  report::Json checks = report::Json::array();
  int exit_code = kYes;
  for (const Target& t : all_targets()) {
    if (t.family != Family::max78) continue;
    console.print((checks.size() == 0 ? "" : "\n") + std::string(t.name) + "\n");
    EDGETWIN_TRY_ASSIGN(const int code, check_on(std::string(t.name), a, console));
    exit_code = std::max(exit_code, code);
    checks.push(std::exchange(console.json(), report::Json::object()));
  }
  console.json().set("model", a.model).set("checks", std::move(checks));
  return exit_code;
}

}  // namespace edgetwin::cli
