// `run --machine`.
#include "twin/machine.h"
#include "cli/run/decoded.h"
#include "cli/run/kinds.h"
#include "cli/run/outputs.h"
#include "cli/run/run_output.h"
#include "cli/shared/exit_codes.h"
#include "twin/espdl_choice.h"

namespace edgetwin::cli {

using report::Json;

// The compiled model as the chip would run it.
Result<int> run_on_machine(const RunArguments& a, ByteSpan data, Console& console) {
  if (!a.trace.empty() || !a.report.empty() || a.repeat) {
    return Error(ErrorCode::usage, "the machine has no --trace, --report or --repeat")
        .in_file(a.model)
        .with_hint(
            "Give the model that it was compiled from, or make a network of this one with "
            "`decompile`.");
  }
  Labels labels;
  if (!a.labels.empty()) {
    EDGETWIN_TRY_ASSIGN(labels, read_labels(a.labels));
  }
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel whole,
                      twin::load_model(data, a.model, twin::load_options(a.compute)));
  std::optional<PosenetAttrs> pose_options;
  const twin::LoadedModel loaded = twin::for_decoder(whole, a.decode, pose_options);
  EDGETWIN_TRY_ASSIGN(OutputFolders folders, open_folders(a));
  EDGETWIN_TRY_ASSIGN(
      const twin::MachineRun run,
      twin::run_on_machine(data, loaded, a.inputs, a.compute, resize_for(a), a.interleave));
  exec::Options options = run.host;
  if (run.host_operators == 0) options.numerics = "edgetpu";
  Json origin = origin_json(loaded, run.inputs, options);
  origin.set("machine", "edgetpu").set("instructions", run.report.instructions);
  EDGETWIN_TRY_ASSIGN(
      const std::optional<Decoded> decoded,
      decode_computed(a, {&loaded.model->main(), pose_options}, run.inputs, run.outputs, labels));
  if (folders.output) {
    EDGETWIN_TRY(write_outputs(run.outputs, origin, decoded, *folders.output));
    EDGETWIN_TRY(commit(folders));
  }
  console.json().merge(origin).set("outputs", outputs_json(run.outputs));
  if (const auto open = twin::open_point(run.report)) {
    console.finding(*open);
    console.json().set("open", open->message);
  }
  bool ordered = true;
  Json findings = Json::array();
  for (const Finding& f : run.findings) {
    if (f.severity == Severity::note) console.print("note: " + f.message + "\n");
    if (f.severity != Severity::note) console.finding(f);
    findings.push(report::to_json(f));
    ordered = ordered && f.severity != Severity::error;
  }
  if (a.interleave) {
    console.json().set("interleave", *a.interleave).set("ordered", ordered);
    console.json().set("findings", std::move(findings));
  }
  EDGETWIN_TRY(show_computed(a, run.outputs, labels, decoded, console));
  return ordered ? kYes : kNo;
}

}  // namespace edgetwin::cli
