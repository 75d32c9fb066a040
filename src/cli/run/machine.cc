// `run --machine`.
#include "twin/machine.h"
#include "cli/run/kinds.h"
#include "cli/run/outputs.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {

using report::Json;

// The compiled model as the chip would run it.
Result<int> run_on_machine(const RunArguments& a, ByteSpan data, Console& console) {
  if (!a.trace.empty() || !a.decode.empty() || !a.report.empty() || a.repeat) {
    return Error(ErrorCode::usage, "--machine has no --trace, --decode, --report or --repeat");
  }
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded,
                      twin::load_model(data, a.model, twin::load_options(a.compute)));
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  EDGETWIN_TRY_ASSIGN(const twin::MachineRun run,
                      twin::run_on_machine(data, loaded, a.inputs, a.compute));
  exec::Options options = run.host;
  if (run.host_operators == 0) options.numerics = "edgetpu";
  Json origin = origin_json(loaded, run.inputs, options);
  origin.set("machine", a.machine).set("instructions", run.report.instructions);
  if (folders.output) {
    EDGETWIN_TRY(write_outputs(run.outputs, origin, std::nullopt, *folders.output));
    EDGETWIN_TRY(commit(folders));
  }
  console.json().merge(origin).set("outputs", outputs_json(run.outputs));
  if (const auto open = twin::open_point(run.report)) {
    console.finding(*open);
    console.json().set("open", open->message);
  }
  if (a.output.empty()) print_summary(run.outputs, console);
  if (a.labels.empty()) return kYes;
  EDGETWIN_TRY_ASSIGN(const Labels labels, read_labels(a.labels));
  check_labels(run.outputs, labels, console);
  console.json().set("best", print_best(run.outputs, labels, console));
  return kYes;
}

}  // namespace edgetwin::cli
