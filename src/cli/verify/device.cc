// A device beside the twin: what the compiled operators gave, tensor by tensor.
#include "base/file.h"
#include "cli/networks/device_findings.h"
#include "cli/verify/kinds.h"
#include "twin/decompiled.h"
#include "twin/verify/device_compare.h"

namespace edgetwin::cli {
namespace {

using report::Json;

void show_tensor(const twin::DeviceTensor& t, VerifyReport& results, Json& rows) {
  const std::string what = t.of_chip ? "device output" : "model output";
  Json j = Json::object();
  j.set("tensor", t.name).set("of", what);
  if (!t.compared) {
    results.row(false, "no twin", what + " '" + t.name + "'", "the reference has no such tensor");
    rows.push(std::move(j.set("equal", Json())));
    return;
  }
  const verify::TensorDiff& d = t.diff;
  j.set("equal", d.equal()).set("elements", d.elements).set("different", d.different);
  j.set("largest", d.largest);
  std::string line = std::to_string(d.elements) + " elements";
  if (!d.problem.empty()) line += "  " + d.problem;
  if (!d.equal() && d.problem.empty()) {
    line += ", " + std::to_string(d.different) + " differ by up to " +
            std::to_string(static_cast<int64_t>(d.largest)) + ", first at " + d.first_position;
    if (!t.place.empty()) {
      line += " (" + t.place + ")";
      j.set("chip", t.place);
    }
    line += ": twin " + std::to_string(static_cast<int64_t>(d.first_a)) + ", device " +
            std::to_string(static_cast<int64_t>(d.first_b));
    j.set("first", d.first_position).set("twin", d.first_a).set("device", d.first_b);
  }
  results.compared(d.equal(), what + " '" + t.name + "'", line);
  rows.push(std::move(j));
}

}  // namespace

Result<bool> verify_on_device(const VerifyArguments& a, VerifyReport& results) {
  Console& console = results.console();
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(twin::DeviceRun run,
                      twin::open_device_run(data, a.model, a.inputs, a.compute, a.device));
  if (run.reference == nullptr) {
    EDGETWIN_TRY_ASSIGN(run.reference,
                        twin::load_reference_or_decompile(data, a.model, a.device.reference));
  }
  if (run.reference == nullptr)
    return Error(ErrorCode::usage, "the model that was compiled is needed to compare with")
        .with_hint("Name it with --reference.");
  EDGETWIN_TRY_ASSIGN(const twin::DeviceComparison c, twin::compare_with_twin(run, a.compute));
  show_device_findings(run, console);
  console.print("device     " + twin::device_text(run) + "\n");
  results.asked("model", a.model);
  results.asked("device", twin::device_text(run));
  results.asked("arithmetic", c.numerics);
  results.inputs();
  console.json().set("model", a.model).set("device", run.bus.transport->name());
  console.json().set("numerics", c.numerics);
  Json rows = Json::array();
  for (const twin::DeviceTensor& t : c.tensors) show_tensor(t, results, rows);
  console.json().set("tensors", std::move(rows)).set("compared", c.compared);
  console.json().set("different", c.different);
  if (c.compared == 0) console.print("nothing could be compared\n");
  return c.equal();
}

}  // namespace edgetwin::cli
