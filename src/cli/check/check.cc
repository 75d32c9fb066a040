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
  console.print(verdict + "\n");
  Json j = Json::object();
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
  if (a.fail_on_fallback && (file_kind(*content) != FileKind::tflite ||
                             targets::find_id(a.target) != targets::Id::edgetpu)) {
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
