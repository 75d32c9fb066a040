// `verify` of compiled Edge TPU models: the programs of the file, executed by the machine, against
// the network that they were compiled from.
#include <algorithm>

#include "base/file.h"
#include "cli/decompiled.h"
#include "cli/edgetpu.h"
#include "cli/exit_codes.h"
#include "cli/machine.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr std::string_view kNumerics = "edgetpu";

std::string count_text(size_t n) { return report::count_text(static_cast<int64_t>(n)); }

// The source's tensor of an output: by name, or of the same number.
const Tensor* match(const std::vector<Tensor>& expected, const Tensor& output, size_t index) {
  for (const Tensor& t : expected) {
    if (t.name == output.name) return &t;
  }
  return index < expected.size() ? &expected[index] : nullptr;
}

struct Agreement {
  size_t elements = 0, different = 0, first = 0;
};

Agreement compare(const Tensor& a, const Tensor& b) {
  Agreement r;
  const size_t size = std::max<size_t>(1, byte_size(a.dtype));
  r.elements = a.data.size() / size;
  for (size_t n = 0; n < r.elements; ++n) {
    const auto at = static_cast<std::ptrdiff_t>(n * size);
    const auto end = at + static_cast<std::ptrdiff_t>(size);
    if (std::equal(a.data.begin() + at, a.data.begin() + end, b.data.begin() + at)) continue;
    if (r.different++ == 0) r.first = n;
  }
  return r;
}

// True where all outputs are equal.
Result<bool> compare_outputs(const std::vector<Tensor>& outputs,
                             const std::vector<Tensor>& expected, Console& console) {
  bool equal = true;
  Json list = Json::array();
  for (size_t n = 0; n < outputs.size(); ++n) {
    const Tensor* e = match(expected, outputs[n], n);
    if (e == nullptr || e->data.size() != outputs[n].data.size()) {
      return Error(ErrorCode::usage, "the source has no output like '" + outputs[n].name + "'")
          .with_hint("--reference names the model that was given to the compiler.");
    }
    const Agreement a = compare(outputs[n], *e);
    std::string line = std::string(a.different == 0 ? "equal    " : "different") + "  output " +
                       std::to_string(n) + " '" + outputs[n].name + "'  " + count_text(a.elements) +
                       " elements";
    if (a.different != 0) {
      line += ", " + count_text(a.different) + " differ, the first at " + std::to_string(a.first);
    }
    console.print(line + "\n");
    Json j = Json::object();
    j.set("output", n).set("name", outputs[n].name).set("elements", a.elements);
    list.push(std::move(j.set("different", a.different)));
    equal = equal && a.different == 0;
  }
  console.json().set("outputs", std::move(list));
  return equal;
}

ComputeArguments with_numerics(ComputeArguments compute) {
  if (compute.numerics.empty()) compute.numerics = kNumerics;
  return compute;
}

Result<std::vector<Tensor>> run_source(const LoadedModel& loaded, const VerifyArguments& a) {
  const ComputeArguments compute = with_numerics(a.compute);
  EDGETWIN_TRY_ASSIGN(exec::Session session, plan(loaded, compute, false));
  EDGETWIN_TRY_ASSIGN(const LoadedInputs inputs, load_inputs(a.inputs, loaded, session, compute));
  EDGETWIN_TRY(set_inputs(session, inputs.tensors));
  EDGETWIN_TRY(session.run());
  std::vector<Tensor> outputs;
  for (size_t n = 0; n < session.graph().outputs.size(); ++n) outputs.push_back(session.output(n));
  return outputs;
}

}  // namespace

Result<int> verify_edgetpu(const VerifyArguments& a, Console& console) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.model));
  EDGETWIN_TRY_ASSIGN(const LoadedModel loaded, load_model(data, a.model));
  EDGETWIN_TRY_ASSIGN(const auto source,
                      load_reference_or_decompile(data, a.model, a.device.reference));
  if (source == nullptr)
    return Error(ErrorCode::usage, "the model that was compiled is needed to compare with")
        .with_hint("Name it with --reference.");
  // What the host runs is computed as in the source.
  EDGETWIN_TRY_ASSIGN(const MachineRun run,
                      run_on_machine(data, loaded, a.inputs, with_numerics(a.compute)));
  console.json().set("instructions", run.report.instructions).set("places", run.report.places);
  console.print("executed   " + count_text(run.report.instructions) + " instructions, " +
                count_text(run.report.places) + " addresses\n");
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> expected, run_source(*source, a));
  EDGETWIN_TRY_ASSIGN(const bool equal, compare_outputs(run.outputs, expected, console));
  console.json().set("yes", equal);
  console.print(equal ? "verified\n" : "not verified\n");
  return equal ? kYes : kNo;
}

}  // namespace edgetwin::cli
