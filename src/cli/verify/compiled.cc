#include "cli/verify/compiled.h"

#include <algorithm>

#include "twin/decompiled.h"

namespace edgetwin::cli {
namespace {

constexpr std::string_view kNumerics = "edgetpu";

// The source's tensor of an output: by name, or of the same number.
const Tensor* match(const std::vector<Tensor>& expected, const Tensor& output, size_t index) {
  for (const Tensor& t : expected) {
    if (t.name == output.name) return &t;
  }
  return index < expected.size() ? &expected[index] : nullptr;
}

OutputAgreement compare(const Tensor& a, const Tensor& b) {
  OutputAgreement r;
  r.name = a.name;
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

ComputeArguments with_numerics(ComputeArguments compute) {
  if (compute.numerics.empty()) compute.numerics = kNumerics;
  return compute;
}

// Where the scalar core computed a softmax, the network beside it does so in the same way.
ComputeArguments like_run(ComputeArguments compute, const twin::MachineRun& run) {
  if (run.report.real_functions > 0 && compute.numerics == kNumerics) {
    compute.numerics += ":softmax=scalar";
  }
  return compute;
}

Result<std::vector<Tensor>> run_source(const twin::LoadedModel& loaded,
                                       const std::vector<std::string>& words,
                                       const ComputeArguments& compute) {
  EDGETWIN_TRY_ASSIGN(exec::Session session, twin::plan(loaded, compute, false));
  EDGETWIN_TRY_ASSIGN(const twin::LoadedInputs inputs,
                      twin::load_inputs(words, loaded, session, compute));
  EDGETWIN_TRY(twin::set_inputs(session, inputs.tensors));
  EDGETWIN_TRY(session.run());
  std::vector<Tensor> outputs;
  for (size_t n = 0; n < session.graph().outputs.size(); ++n) outputs.push_back(session.output(n));
  return outputs;
}

}  // namespace

bool CompiledRun::equal() const {
  return std::ranges::all_of(outputs, [](const OutputAgreement& o) { return o.different == 0; });
}

Result<CompiledRun> run_compiled(ByteSpan data, const std::string& file, const VerifyArguments& a) {
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(data, file));
  const ComputeArguments compute = with_numerics(a.compute);
  CompiledRun run;
  EDGETWIN_TRY_ASSIGN(run.machine, twin::run_on_machine(data, loaded, a.inputs, compute));
  EDGETWIN_TRY_ASSIGN(run.reference,
                      twin::load_reference_or_decompile(data, file, a.device.reference));
  if (run.reference == nullptr) return run;
  run.decompiled = run.reference->file == file;
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> expected,
                      run_source(*run.reference, a.inputs, like_run(compute, run.machine)));
  const std::vector<Tensor>& outputs = run.machine.outputs;
  for (size_t n = 0; n < outputs.size(); ++n) {
    const Tensor* e = match(expected, outputs[n], n);
    if (e == nullptr || e->data.size() != outputs[n].data.size()) {
      return Error(ErrorCode::usage, "the source has no output like '" + outputs[n].name + "'")
          .in_file(run.reference->file)
          .with_hint("--reference names the model that was given to the compiler.");
    }
    run.outputs.push_back(compare(outputs[n], *e));
  }
  return run;
}

std::optional<bool> equals_decompiled(ByteSpan data, const std::string& file,
                                      const VerifyArguments& a, const CompiledRun& run) {
  const auto network = twin::load_decompiled(data, file);
  if (!network.ok()) return std::nullopt;
  const auto expected =
      run_source(*network, a.inputs, like_run(with_numerics(a.compute), run.machine));
  if (!expected.ok() || expected->size() != run.machine.outputs.size()) return std::nullopt;
  for (size_t n = 0; n < expected->size(); ++n) {
    if ((*expected)[n].data != run.machine.outputs[n].data) return false;
  }
  return true;
}

}  // namespace edgetwin::cli
