#include "edgetwin/diff.h"
#include "cli/diff/arguments.h"
#include "cli/shared/console.h"
#include "cli/shared/exit_codes.h"
#include "report/model/diff_report.h"

namespace edgetwin::cli {

Result<int> execute(const DiffArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const FileDifference d, diff_files(a.a, a.b, a.tolerance));
  for (const Finding& f : d.notes) console.finding(f);
  for (const std::string& line : d.lines) console.print("  " + line + "\n");
  auto& json = console.json();
  json.set("a", a.a).set("b", a.b).set("tolerance", a.tolerance).set("kind", d.kind);
  if (d.bitstreams) {
    json.set("bitstreams", *d.bitstreams);
    json.set("different_bitstreams", d.different_bitstreams.value_or(0));
  }
  // The table of tensors ends with the verdict; values beside them that differ have their own.
  const bool has_lines = !d.tensors || !d.lines.empty();
  if (d.tensors) console.print(report::diff_text(*d.tensors, d.noun));
  if (!d.tensors || (d.tensors->equal() && !d.equal)) console.print(d.verdict + "\n");
  json.set("verdict", d.verdict);
  if (d.tensors) json.merge(report::diff_json(*d.tensors));
  json.set("equal", d.equal);
  if (has_lines || d.kind == "checkpoint") json.set("differences", report::Json::list(d.lines));
  return d.equal ? kYes : kNo;
}

}  // namespace edgetwin::cli
