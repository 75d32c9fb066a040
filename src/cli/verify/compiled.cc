#include "cli/verify/compiled.h"

#include <algorithm>
#include <charconv>

#include "twin/decompiled.h"

namespace edgetwin::cli {
namespace {

constexpr std::string_view kNumerics = "edgetpu";
const std::string kGenerated = "xs32:";
constexpr uint32_t kMostRuns = 1000;

std::optional<uint32_t> seed(std::string_view digits) {
  uint32_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value == 0) return std::nullopt;
  return value;
}

// The source's tensor of an output: by name, or of the same number.
const Tensor* match(const std::vector<Tensor>& expected, const Tensor& output, size_t index) {
  for (const Tensor& t : expected) {
    if (t.name == output.name) return &t;
  }
  return index < expected.size() ? &expected[index] : nullptr;
}

void compare(const Tensor& a, const Tensor& b, const std::vector<std::string>& words,
             OutputAgreement& r) {
  r.name = a.name;
  const size_t size = std::max<size_t>(1, byte_size(a.dtype));
  const size_t elements = a.data.size() / size;
  for (size_t n = 0; n < elements; ++n) {
    const auto at = static_cast<std::ptrdiff_t>(n * size);
    const auto end = at + static_cast<std::ptrdiff_t>(size);
    if (std::equal(a.data.begin() + at, a.data.begin() + end, b.data.begin() + at)) continue;
    if (r.different++ != 0) continue;
    r.first = n;
    r.first_input = words.front();
  }
  r.elements += elements;
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

Result<std::vector<std::vector<std::string>>> input_runs(const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> runs;
  for (const std::string& word : words) {
    if (!word.starts_with(kGenerated)) return std::vector<std::vector<std::string>>{words};
    const size_t dots = word.find("..");
    if (dots == std::string::npos) {
      runs.push_back({word});
      continue;
    }
    const auto first =
        seed(std::string_view(word).substr(kGenerated.size(), dots - kGenerated.size()));
    const auto last = seed(std::string_view(word).substr(dots + 2));
    if (!first || !last || *last < *first || *last - *first >= kMostRuns) {
      return Error(ErrorCode::usage, "'" + word + "' is not a row of seeds")
          .with_hint("xs32:1..8 are eight inputs; at most " + std::to_string(kMostRuns) + ".");
    }
    for (uint32_t n = *first; n <= *last; ++n) runs.push_back({kGenerated + std::to_string(n)});
  }
  return runs;
}

namespace {

// One run of the reference against one of the machine.
Status compare_run(const CompiledInputs& one, const ComputeArguments& compute, CompiledRun& run) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> expected,
                      run_source(*run.reference, one.words, like_run(compute, one.machine)));
  const std::vector<Tensor>& outputs = one.machine.outputs;
  run.outputs.resize(outputs.size());
  for (size_t n = 0; n < outputs.size(); ++n) {
    const Tensor* e = match(expected, outputs[n], n);
    if (e == nullptr || e->data.size() != outputs[n].data.size()) {
      return Error(ErrorCode::usage, "the source has no output like '" + outputs[n].name + "'")
          .in_file(run.reference->file)
          .with_hint("--reference names the model that was given to the compiler.");
    }
    compare(outputs[n], *e, one.words, run.outputs[n]);
  }
  return Ok{};
}

}  // namespace

Result<CompiledRun> run_compiled(ByteSpan data, const std::string& file, const VerifyArguments& a) {
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(data, file));
  EDGETWIN_TRY_ASSIGN(const auto inputs, input_runs(a.inputs));
  const ComputeArguments compute = with_numerics(a.compute);
  CompiledRun run;
  for (const std::vector<std::string>& words : inputs) {
    CompiledInputs& one = run.runs.emplace_back();
    one.words = words;
    EDGETWIN_TRY_ASSIGN(one.machine, twin::run_on_machine(data, loaded, words, compute));
  }
  EDGETWIN_TRY_ASSIGN(run.reference,
                      twin::load_reference_or_decompile(data, file, a.device.reference));
  if (run.reference == nullptr) return run;
  run.decompiled = run.reference->file == file;
  for (const CompiledInputs& one : run.runs) EDGETWIN_TRY(compare_run(one, compute, run));
  return run;
}

std::optional<bool> equals_decompiled(ByteSpan data, const std::string& file,
                                      const VerifyArguments& a, const CompiledRun& run) {
  const auto network = twin::load_decompiled(data, file);
  if (!network.ok()) return std::nullopt;
  for (const CompiledInputs& one : run.runs) {
    const std::vector<Tensor>& outputs = one.machine.outputs;
    const auto expected =
        run_source(*network, one.words, like_run(with_numerics(a.compute), one.machine));
    if (!expected.ok() || expected->size() != outputs.size()) return std::nullopt;
    for (size_t n = 0; n < expected->size(); ++n) {
      if ((*expected)[n].data != outputs[n].data) return false;
    }
  }
  return true;
}

}  // namespace edgetwin::cli
