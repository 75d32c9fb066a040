// `verify` of compiled Edge TPU models: the programs of the file, executed by the machine, against
// the network that they were compiled from.
#include "base/file.h"
#include "cli/shared/text.h"
#include "cli/verify/kinds.h"
#include "report/format.h"
#include "twin/verify/compiled_check.h"

namespace edgetwin::cli {
namespace {

using report::Json;

void show_outputs(const std::vector<twin::OutputAgreement>& outputs, size_t runs,
                  VerifyReport& results) {
  Json list = Json::array();
  for (size_t n = 0; n < outputs.size(); ++n) {
    const twin::OutputAgreement& o = outputs[n];
    std::string detail = count_text(o.elements) + " elements";
    if (runs > 1) detail += " of " + count_text(runs) + " inputs";
    if (o.different != 0) {
      detail += ", " + count_text(o.different) + " differ, the first at " + std::to_string(o.first);
      if (runs > 1) detail += " of " + o.first_input;
    }
    results.compared(o.different == 0, "output " + std::to_string(n) + " '" + o.name + "'", detail);
    Json j = Json::object();
    j.set("output", n).set("name", o.name).set("elements", o.elements);
    list.push(std::move(j.set("different", o.different)));
  }
  results.console().json().set("outputs", std::move(list));
}

// What an order of engines showed, once for all inputs.
void show_order(const VerifyArguments& a, const twin::CompiledRun& run, VerifyReport& results) {
  if (!a.interleave) return;
  results.asked("order of engines", std::to_string(*a.interleave));
  results.console().json().set("interleave", *a.interleave).set("ordered", run.ordered());
  for (const Finding& f : run.machine().findings) {
    if (f.severity == Severity::note) results.console().print("note: " + f.message + "\n");
    if (f.severity != Severity::note) results.finding(f);
  }
}

}  // namespace

std::string left_out_text(const Error& error) {
  return "operator " + error.place.layer + " and what follows on the host: " + error.message;
}

twin::CompiledCheck compiled_check(const VerifyArguments& a) {
  return {a.inputs, a.compute, a.device.reference, a.interleave};
}

Result<int> verify_edgetpu(const VerifyArguments& a, VerifyReport& results) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const twin::CompiledRun run,
                      twin::run_compiled(data, a.model, compiled_check(a)));
  if (run.reference == nullptr)
    return Error(ErrorCode::usage, "the model that was compiled is needed to compare with")
        .with_hint("Name it with --reference.");
  const edgetpu::machine::MachineReport& report = run.machine().report;
  const std::string reference = run.decompiled ? "the decompiled network" : run.reference->file;
  const std::string executed = count_text(report.instructions) + " instructions, " +
                               count_text(report.places) + " addresses";
  Console& console = results.console();
  console.json().set("instructions", report.instructions).set("places", report.places);
  console.json().set("reference", reference);
  console.print("executed   " + executed + "\nreference  " + reference + "\n");
  results.asked("model", a.model);
  results.asked("reference", reference);
  results.asked("executed", executed);
  results.inputs();
  if (run.left_out) {
    const std::string what = left_out_text(*run.left_out);
    console.json().set("left_out", what);
    console.print("left out   " + what + "\n");
    results.asked("left out", what);
  }
  show_outputs(run.outputs, run.runs.size(), results);
  show_order(a, run, results);
  const auto also = run.equal() || run.decompiled
                        ? std::nullopt
                        : twin::equals_decompiled(data, a.model, compiled_check(a), run);
  if (also) {
    const std::string what =
        std::string(*also ? "equal to" : "differs from") + " the decompiled network";
    console.json().set("decompiled_equal", *also);
    console.print("program    " + what + "\n");
    results.only_on_page({*also, "program", what, ""});
  }
  if (const auto open = twin::open_point(report)) {
    console.json().set("open", open->message);
    console.print("open       " + open->message + " (" + open->id + ")\n");
    results.only_on_page({true, "open", open->id, open->message});
  }
  const bool yes = run.equal() && run.ordered();
  const std::string verdict = yes ? "verified" : "not verified";
  console.print(verdict + "\n");
  return results.finish(yes, verdict);
}

}  // namespace edgetwin::cli
