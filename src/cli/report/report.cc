#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/networks/page.h"
#include "cli/networks/twin_inputs.h"
#include "cli/report/arguments.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "twin/compute.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {
namespace {

// A network of the MAX7800x: its memories, and what every layer computes.
Result<int> report_max78(const ReportArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Network network, open_for_twin(a.model, a.compute, a.max78, a.inputs));
  RunnerOptions how = runner_options(a.compute);
  how.where = Where::twin;
  how.keep_layers = true;
  EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> runner, network.runner(how));
  EDGETWIN_TRY_ASSIGN(const Inputs inputs, inputs_for_twin(network, *runner, a.inputs));
  for (const Finding& f : runner->findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const Run run, runner->run(inputs.tensors));
  std::optional<Agreement> agreement;
  if (!a.reference.empty()) {
    EDGETWIN_TRY_ASSIGN(const std::unique_ptr<Runner> recorded, recorded_runner(a.reference));
    EDGETWIN_TRY_ASSIGN(const Run expected, recorded->run({}));
    agreement = compare(run, expected, a.tolerance);
    console.print("reference   " + std::to_string(agreement->different) + " of " +
                  std::to_string(agreement->compared) + " tensors differ\n");
    console.json().set("compared", agreement->compared).set("different", agreement->different);
  }
  EDGETWIN_TRY(write_max78_report(a.output, network, run, inputs, agreement ? &*agreement : nullptr,
                                  console));
  return !agreement || agreement->equal() ? kYes : kNo;
}

}  // namespace

Result<int> execute(const ReportArguments& a, Console& console) {
  EDGETWIN_TRY(check_page(a.output, {}));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const bool max78, is_max78_network(data, a.max78, "report"));
  if (max78) return report_max78(a, console);
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(data, a.model, twin::load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(const exec::Session session, twin::plan(loaded, a.compute, false));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedInputs inputs,
                      twin::load_inputs(a.inputs, loaded, session, a.compute));
  for (const Finding& f : loaded.model->findings) console.finding(f);
  for (const Finding& f : session.findings()) console.finding(f);
  EDGETWIN_TRY_ASSIGN(const bool yes, write_page({a.output, a.reference, a.tolerance}, loaded,
                                                 a.compute, inputs, console));
  return yes ? kYes : kNo;
}

}  // namespace edgetwin::cli
