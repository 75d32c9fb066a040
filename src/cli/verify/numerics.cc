// `verify` of a .tflite model: two arithmetics beside each other.
#include "cli/shared/open_arguments.h"
#include "cli/verify/kinds.h"

namespace edgetwin::cli {

Result<bool> verify_numerics(const VerifyArguments& a, VerifyReport& results) {
  Console& console = results.console();
  Side first{a.model, open_options(a.compute, a.max78), runner_options(a.compute)};
  Side second = first;
  first.open.numerics = "tflite";
  if (second.open.numerics.empty()) second.open.numerics = "edgetpu";
  EDGETWIN_TRY_ASSIGN(const Comparison both,
                      compare_files(first, second, {a.inputs, picture_options(a.compute), 0.0}));
  for (const Finding& f : both.b->findings()) results.finding(f);
  for (const Finding& f : both.agreement.findings) results.finding(f);
  results.asked("model", a.model);
  results.asked("arithmetic", "tflite, " + second.open.numerics);
  results.inputs();
  console.print("tflite beside " + second.open.numerics + "\n");
  const size_t different = show_agreement(both.agreement, results);
  console.json().set("model", a.model).set("numerics", second.open.numerics);
  console.json().set("different", different).set("outputs_equal", both.agreement.equal());
  return both.agreement.equal();
}

}  // namespace edgetwin::cli
