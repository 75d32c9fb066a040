// `verify` of compiled Edge TPU models: the programs of the file, executed by the machine, against
// the network that they were compiled from.
#include "base/file.h"
#include "cli/shared/text.h"
#include "cli/verify/compiled.h"
#include "cli/verify/kinds.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

void show_outputs(const std::vector<OutputAgreement>& outputs, CheckSheet& sheet) {
  Json list = Json::array();
  for (size_t n = 0; n < outputs.size(); ++n) {
    const OutputAgreement& o = outputs[n];
    std::string detail = count_text(o.elements) + " elements";
    if (o.different != 0) {
      detail += ", " + count_text(o.different) + " differ, the first at " + std::to_string(o.first);
    }
    sheet.compared(o.different == 0, "output " + std::to_string(n) + " '" + o.name + "'", detail);
    Json j = Json::object();
    j.set("output", n).set("name", o.name).set("elements", o.elements);
    list.push(std::move(j.set("different", o.different)));
  }
  sheet.console().json().set("outputs", std::move(list));
}

}  // namespace

Result<int> verify_edgetpu(const VerifyArguments& a, CheckSheet& sheet) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const CompiledRun run, run_compiled(data, a.model, a));
  if (run.reference == nullptr)
    return Error(ErrorCode::usage, "the model that was compiled is needed to compare with")
        .with_hint("Name it with --reference.");
  const edgetpu::machine::MachineReport& report = run.machine.report;
  const std::string reference = run.decompiled ? "the decompiled network" : run.reference->file;
  const std::string executed = count_text(report.instructions) + " instructions, " +
                               count_text(report.places) + " addresses";
  Console& console = sheet.console();
  console.json().set("instructions", report.instructions).set("places", report.places);
  console.json().set("reference", reference);
  console.print("executed   " + executed + "\nreference  " + reference + "\n");
  sheet.asked("model", a.model);
  sheet.asked("reference", reference);
  sheet.asked("executed", executed);
  sheet.inputs();
  show_outputs(run.outputs, sheet);
  if (const auto open = twin::open_point(report)) {
    console.json().set("open", open->message);
    console.print("open       " + open->message + " (" + open->id + ")\n");
    sheet.only_on_page({true, "open", open->id, open->message});
  }
  const std::string verdict = run.equal() ? "verified" : "not verified";
  console.print(verdict + "\n");
  return sheet.finish(run.equal(), verdict);
}

}  // namespace edgetwin::cli
