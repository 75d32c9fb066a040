#include "twin/verify/compiled_check.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "formats/darwinn/darwinn.h"
#include "twin/decompiled.h"
#include "twin/verify/device_part.h"
#include "verify/compare.h"

namespace edgetwin::twin {
namespace {

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

// Adds one comparison, bit for bit; the two may write the same sizes in another form.
void add(const Tensor& a, Tensor b, const std::vector<std::string>& words, OutputAgreement& r) {
  r.name = a.name;
  b.dtype = a.dtype;
  b.shape = a.shape;
  const verify::TensorDiff d = verify::compare(a, b);
  if (r.different == 0 && d.different > 0) {
    r.first = static_cast<size_t>(d.first_index);
    r.first_input = words.front();
  }
  r.elements += static_cast<size_t>(d.elements);
  r.different += static_cast<size_t>(d.different);
}

ComputeOptions with_numerics(ComputeOptions compute) {
  if (compute.numerics.empty()) compute.numerics = kChipNumerics;
  return compute;
}

// The network beside a run computes as the run did.
ComputeOptions like_run(ComputeOptions compute, const MachineRun& run) {
  if (compute.numerics == kChipNumerics) compute.numerics = graph_numerics(run.report);
  return compute;
}

Result<std::vector<Tensor>> run_source(const LoadedModel& loaded,
                                       const std::vector<std::string>& words,
                                       const ComputeOptions& compute) {
  EDGETWIN_TRY_ASSIGN(exec::Session session, plan(loaded, compute, false));
  EDGETWIN_TRY_ASSIGN(const LoadedInputs inputs, load_inputs(words, loaded, session, compute));
  EDGETWIN_TRY(set_inputs(session, inputs.tensors));
  EDGETWIN_TRY(session.run());
  std::vector<Tensor> outputs;
  for (size_t n = 0; n < session.graph().outputs.size(); ++n) outputs.push_back(session.output(n));
  return outputs;
}

}  // namespace

bool CompiledRun::equal() const {
  return std::ranges::all_of(outputs, [](const OutputAgreement& o) { return o.different == 0; });
}

bool CompiledRun::ordered() const {
  return std::ranges::none_of(runs, [](const CompiledInputs& one) {
    return std::ranges::any_of(one.machine.findings,
                               [](const Finding& f) { return f.severity == Severity::error; });
  });
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
Status compare_run(const CompiledInputs& one, const ComputeOptions& compute, CompiledRun& run) {
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
    add(outputs[n], *e, one.words, run.outputs[n]);
  }
  return Ok{};
}

}  // namespace

Result<std::vector<std::string>> compiled_models_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    const fs::path& path = at->path();
    if (path.extension() != ".tflite" || !at->is_regular_file(failed)) continue;
    const Result<Bytes> data = read_file(path);
    if (!data.ok()) continue;
    if (darwinn::container_of(*data) == darwinn::Container::tflite) files.push_back(path.string());
  }
  if (failed) {
    return Error(ErrorCode::usage, "the folder cannot be read: " + failed.message())
        .in_file(folder);
  }
  // By name, so that the order does not depend on the file system.
  std::ranges::sort(files);
  if (files.empty()) {
    return Error(ErrorCode::usage, "no compiled Edge TPU model is in the folder")
        .in_file(folder)
        .with_hint(
            "Name a folder with compiled models; `compile MODEL.tflite --target edgetpu` makes "
            "one.");
  }
  return files;
}

Result<CompiledRun> run_compiled(ByteSpan data, const std::string& file, const CompiledCheck& a) {
  EDGETWIN_TRY_ASSIGN(LoadedModel loaded, load_model(data, file));
  EDGETWIN_TRY_ASSIGN(const auto inputs, input_runs(a.inputs));
  const ComputeOptions compute = with_numerics(a.compute);
  CompiledRun run;
  for (const std::vector<std::string>& words : inputs) {
    CompiledInputs& one = run.runs.emplace_back();
    one.words = words;
    Result<MachineRun> ran =
        run_on_machine(data, loaded, words, compute, Resize::nearest, a.interleave);
    if (!ran.ok() && ran.error().code == ErrorCode::op_unsupported && !run.left_out) {
      run.left_out = ran.error();
      loaded = device_part(loaded);
      if (loaded.model == nullptr) return ran.error();
      ran = run_on_machine(data, loaded, words, compute, Resize::nearest, a.interleave);
    }
    EDGETWIN_TRY_ASSIGN(one.machine, std::move(ran));
  }
  EDGETWIN_TRY_ASSIGN(run.reference, load_reference_or_decompile(data, file, a.reference));
  if (run.reference == nullptr) return run;
  run.decompiled = run.reference->file == file;
  if (run.left_out) {
    EDGETWIN_TRY_ASSIGN(LoadedModel part, part_with_outputs(*run.reference, output_names(loaded)));
    run.reference = std::make_shared<const LoadedModel>(std::move(part));
  }
  for (const CompiledInputs& one : run.runs) EDGETWIN_TRY(compare_run(one, compute, run));
  return run;
}

std::optional<bool> equals_decompiled(ByteSpan data, const std::string& file,
                                      const CompiledCheck& a, const CompiledRun& run) {
  auto network = load_decompiled(data, file);
  if (network.ok() && run.left_out) {
    std::vector<std::string> names;
    for (const Tensor& t : run.machine().outputs) names.push_back(t.name);
    network = part_with_outputs(*network, names);
  }
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

}  // namespace edgetwin::twin
