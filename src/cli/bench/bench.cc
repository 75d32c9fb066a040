#include "cli/bench/arguments.h"
#include "cli/bench/device.h"
#include "cli/shared/exit_codes.h"
#include "report/measure.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {

Result<int> execute(const BenchArguments& a, Console& console) {
  if (!a.device.device.empty()) return bench_on_device(a, console);
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(a.model, twin::load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(exec::Session session, twin::plan(loaded, a.compute, false));
  const std::vector<std::string> generated = {"xs32:1"};
  EDGETWIN_TRY_ASSIGN(
      const twin::LoadedInputs inputs,
      twin::load_inputs(a.inputs.empty() ? generated : a.inputs, loaded, session, a.compute));
  EDGETWIN_TRY(twin::set_inputs(session, inputs.tensors));
  EDGETWIN_TRY_ASSIGN(const report::Timing timing,
                      report::measure(session, a.runs, console.progress_sink()));
  const report::Machine machine = report::this_machine();
  const std::string isa = twin::used_isa(a.compute);
  console.print(report::timing_text(session, timing, machine, isa));
  console.json().set("model", a.model).merge(report::timing_json(session, timing, machine, isa));
  return kYes;
}

}  // namespace edgetwin::cli
