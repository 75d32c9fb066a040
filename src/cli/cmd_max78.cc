#include <algorithm>

#include "base/file.h"
#include "cli/exit_codes.h"
#include "cli/max78.h"
#include "cli/overwrite.h"
#include "cli/quantize.h"
#include "cli/verbs.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"
#include "report/format.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"
#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/project/project.h"
#include "targets/max78/quantize/quantize.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Status write_outputs(const std::vector<Tensor>& outputs, const Max78Arguments& m,
                     max78::Arithmetic arithmetic, AtomicFolder& folder) {
  Json list = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string file = "output_" + std::to_string(i) + ".npy";
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npy(outputs[i]));
    EDGETWIN_TRY(folder.write(file, bytes));
    Json j = Json::object();
    j.set("index", i).set("file", file);
    list.push(std::move(j.merge(report::tensor_json(outputs[i]))));
  }
  Json document = Json::object();
  document.set("schema", 1).set("model", m.network).set("target", m.target);
  document.set("numerics", max78::name(arithmetic)).set("outputs", std::move(list));
  return folder.write(report::kOutputsFile, std::string_view(document.text()));
}

// layers.npz: "L003.out", and ".pool" and ".elt" where the layer pools or combines.
Status write_layers(const max78::NetworkRun& result, AtomicFolder& folder) {
  std::vector<Tensor> all;
  const auto add = [&all](const Tensor& t, int layer, const char* part) {
    if (t.data.empty()) return;
    std::string number = std::to_string(layer);
    all.push_back(t);
    all.back().name =
        "L" + std::string(3 - std::min<size_t>(3, number.size()), '0') + number + part;
  };
  for (const max78::LayerResult& l : result.layers) {
    add(l.pool, l.layer, ".pool");
    add(l.elt, l.layer, ".elt");
    add(l.out, l.layer, ".out");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npz(all));
  return folder.write("layers.npz", bytes);
}

// Options of `run` that other kinds of models have.
Status refuse_other_options(const RunArguments& a) {
  const std::pair<bool, const char*> options[] = {{!a.labels.empty(), "--labels"},
                                                  {!a.decode.empty(), "--decode"},
                                                  {a.repeat, "--repeat"},
                                                  {!a.compute.isa.empty(), "--isa"},
                                                  {!a.compute.model.empty(), "--model"},
                                                  {!a.compute.key.empty(), "--key"},
                                                  {a.compute.wide, "--accumulators"},
                                                  {!a.compute.mean.empty(), "--mean"},
                                                  {!a.compute.std.empty(), "--std"}};
  for (const auto& [given, name] : options) {
    if (given) {
      return Error(ErrorCode::usage, std::string(name) + " does not go with a network .yaml");
    }
  }
  if (a.inputs.size() > 1) return Error(ErrorCode::usage, "a network .yaml has one input");
  return Ok{};
}

}  // namespace

Result<int> run_max78(const RunArguments& a, const std::vector<std::string>& words,
                      Console& console) {
  EDGETWIN_TRY(refuse_other_options(a));
  Max78Arguments m = a.max78;
  m.html = a.html;
  m.network = a.model;
  m.target = a.compute.target;
  if (m.sample.empty() && a.inputs.size() == 1) m.sample = a.inputs[0];
  if (!a.compute.numerics.empty()) {
    m.options.insert(m.options.end(), {"--numerics", a.compute.numerics});
  }
  EDGETWIN_TRY(check_max78_pages(m, a.force));
  EDGETWIN_TRY_ASSIGN(const Max78Outcome outcome,
                      load_max78(m, max78::SampleNeed::numbers, console));
  if (!outcome.ok) return outcome.exit_code;
  max78::SimulationOptions options;
  options.trace = !a.trace.empty();
  options.plain = a.compute.plain;
  options.threads = a.compute.threads;
  EDGETWIN_TRY_ASSIGN(const max78::NetworkRun result,
                      max78::simulate(*outcome.job, outcome.job->sample, options));
  const std::vector<Tensor>& outputs = result.outputs;
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, AtomicFolder::create(a.output, overwrite(a.force)));
    EDGETWIN_TRY(write_outputs(outputs, m, outcome.job->options.arithmetic, folder));
    EDGETWIN_TRY(folder.commit());
  }
  if (!a.trace.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, AtomicFolder::create(a.trace, overwrite(a.force)));
    EDGETWIN_TRY(write_layers(result, folder));
    EDGETWIN_TRY(folder.commit());
  }
  Json list = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    const report::TensorStats s = report::tensor_stats(outputs[i]);
    if (a.output.empty()) {
      console.print("output " + std::to_string(i) + "  " + to_string(outputs[i].shape) + " " +
                    std::string(name(outputs[i].dtype)) + "  min " + report::value_text(s.min) +
                    "  max " + report::value_text(s.max) + "  mean " +
                    report::real_text(static_cast<float>(s.mean)) + "\n");
    }
    list.push(report::tensor_json(outputs[i]));
  }
  console.json().set("model", m.network).set("target", m.target).set("outputs", std::move(list));
  EDGETWIN_TRY(write_max78_pages(m, outcome, m.target + ": computed", a.force, words, console));
  return kYes;
}

Result<int> check_max78(const CheckArguments& a, const std::vector<std::string>& words,
                        Console& console) {
  Max78Arguments m = a.max78;
  m.network = a.model;
  m.target = a.target;
  EDGETWIN_TRY(check_max78_pages(m, m.force));
  EDGETWIN_TRY_ASSIGN(Max78Outcome outcome, load_max78(m, max78::SampleNeed::size_only, console));
  if (a.strict && outcome.ok &&
      std::any_of(outcome.findings.begin(), outcome.findings.end(),
                  [](const Finding& f) { return f.severity == Severity::warning; })) {
    outcome.ok = false;
    outcome.exit_code = kNo;
  }
  const char* no =
      outcome.exit_code == kInput ? ": the files cannot be used" : ": the network does not fit";
  const std::string verdict = m.target + (outcome.ok ? ": the network fits" : no);
  if (outcome.job != nullptr && !outcome.job->plan.groups.empty()) {
    const std::string map = max78::memory_map(outcome.job->plan);
    console.print(map);
    console.json().set("memory", memory_json(outcome.job->plan));
  }
  EDGETWIN_TRY(write_max78_pages(m, outcome, verdict, m.force, words, console));
  console.print(verdict + "\n");
  console.json().set("model", m.network).set("target", m.target).set("yes", outcome.ok);
  return outcome.exit_code;
}

namespace {

// Text files of the program, each only if it is named.
Status write_texts(const CompileArguments& a, const max78::CompiledNetwork& compiled) {
  const auto put = [&a](const std::string& file, const std::string& text) -> Status {
    return write_file(file, std::string_view(text), overwrite(a.force));
  };
  if (!a.program.empty()) EDGETWIN_TRY(put(a.program, max78::to_text(compiled.program)));
  if (!a.expected.empty()) EDGETWIN_TRY(put(a.expected, max78::expected_text(compiled.expected)));
  if (!a.unload_reads.empty()) {
    EDGETWIN_TRY(put(a.unload_reads, max78::unload_text(compiled.unload)));
  }
  return Ok{};
}

}  // namespace

Result<int> compile_verb(const CompileArguments& a, const std::vector<std::string>& words,
                         Console& console) {
  if (a.output.empty() && a.program.empty() && a.expected.empty() && a.unload_reads.empty()) {
    return Error(ErrorCode::usage, "nothing to write was named")
        .with_hint("Add -o DIR for the project, or --program FILE.");
  }
  for (const std::string& file : {a.program, a.expected, a.unload_reads}) {
    if (!file.empty()) EDGETWIN_TRY(check_output(file, overwrite(a.force)));
  }
  EDGETWIN_TRY(check_max78_pages(a.max78, a.force));
  EDGETWIN_TRY_ASSIGN(const Max78Outcome outcome,
                      load_max78(a.max78, max78::SampleNeed::numbers, console));
  if (!outcome.ok) {
    EDGETWIN_TRY(write_max78_pages(a.max78, outcome, a.max78.target + ": the network does not fit",
                                   a.force, words, console));
    return outcome.exit_code;
  }
  const max78::LoadedNetwork& job = *outcome.job;
  EDGETWIN_TRY_ASSIGN(const max78::CompiledNetwork compiled, max78::compile(job));
  EDGETWIN_TRY(write_texts(a, compiled));
  if (!a.output.empty()) {
    max78::ProjectOptions options;
    if (!a.prefix.empty()) options.name = a.prefix;
    EDGETWIN_TRY_ASSIGN(const auto files, max78::make_project(job.plan, compiled, options));
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, AtomicFolder::create(a.output, overwrite(a.force)));
    for (const max78::ProjectFile& f : files) {
      EDGETWIN_TRY(folder.write(f.name, std::string_view(f.text)));
    }
    EDGETWIN_TRY(folder.commit());
    console.print("wrote       " + a.output + ": " + std::to_string(files.size()) + " files for " +
                  a.max78.target + "\n");
  }
  EDGETWIN_TRY(
      write_max78_pages(a.max78, outcome, a.max78.target + ": compiled", a.force, words, console));
  console.print(statistics_text(job.plan));
  console.json().set("network", a.max78.network).set("target", a.max78.target);
  return kYes;
}

Result<int> quantize_checkpoint(const QuantizeArguments& a, Console& console) {
  if (a.target != "max78000" && a.target != "max78002") {
    return Error(ErrorCode::usage, "quantize knows no target '" + a.target + "'")
        .with_hint(
            "All of c, esp32s3, esp32p4, edgetpu, max78000 and max78002 take .onnx; the last two "
            "checkpoints too.");
  }
  max78::QuantizeOptions options;
  const auto method = max78::clip_method(a.clip_method);
  if (!method) return Error(ErrorCode::usage, "there is no clip method '" + a.clip_method + "'");
  options.method = *method;
  options.scale = a.scale;
  options.deviations = a.stddev;
  options.bn_epsilon = a.bn_epsilon;
  options.upstream_bugs = a.upstream_bugs;
  if (a.bits != 0) options.weight_bits = a.bits;
  EDGETWIN_TRY(check_output(a.output, overwrite(a.force)));
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(a.checkpoint));
  EDGETWIN_TRY_ASSIGN(torch::Checkpoint checkpoint, torch::Checkpoint::read(data, a.checkpoint));
  std::optional<ai8x::Network> network;
  if (!a.network.empty()) {
    const auto device = a.target == "max78000" ? ai8x::Device::max78000 : ai8x::Device::max78002;
    EDGETWIN_TRY_ASSIGN(const Bytes yaml, read_file(a.network));
    EDGETWIN_TRY_ASSIGN(network, ai8x::read_network(as_text(yaml), a.network, device));
    options.network = &*network;
  }
  max78::Quantization q = max78::quantize(std::move(checkpoint), options);
  int exit_code = kYes;
  for (const Error& e : q.report.errors) exit_code = console.error(e);
  if (!q.checkpoint) return exit_code;
  report::TextTable table({{"weights"}, {"bits", report::TextTable::Align::right}, {"shift"}});
  for (const max78::QuantizedLayer& l : q.layers) {
    table.add({l.name, std::to_string(l.bits), l.shift ? std::to_string(*l.shift) : "as stored"});
  }
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, torch::write(*q.checkpoint));
  EDGETWIN_TRY(write_file(a.output, bytes, overwrite(a.force)));
  summary(table.text() + "wrote " + a.output + "\n", console);
  console.json().set("output", a.output).set("layers", q.layers.size());
  return kYes;
}

}  // namespace edgetwin::cli
