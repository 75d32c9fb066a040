// `run` of a network description.
#include <algorithm>

#include "base/file.h"
#include "cli/networks/max78.h"
#include "cli/run/kinds.h"
#include "cli/shared/exit_codes.h"
#include "report/format.h"
#include "report/tensor_stats.h"
#include "report/trace_io.h"
#include "targets/max78/pipeline/run.h"
#include "tensor/npy.h"

namespace edgetwin::cli {
namespace {

using report::Json;

Status write_max78_outputs(const std::vector<Tensor>& outputs, const Max78Arguments& m,
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

Result<int> run_max78(const RunArguments& a, Console& console) {
  EDGETWIN_TRY(refuse_other_options(a));
  Max78Arguments m = a.max78;
  m.report = a.report;
  m.network = a.model;
  m.target = a.compute.target;
  if (m.sample.empty() && a.inputs.size() == 1) m.sample = a.inputs[0];
  if (!a.compute.numerics.empty()) {
    m.options.insert(m.options.end(), {"--numerics", a.compute.numerics});
  }
  EDGETWIN_TRY(check_max78_pages(m));
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
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
    EDGETWIN_TRY(write_max78_outputs(outputs, m, outcome.job->options.arithmetic, folder));
    EDGETWIN_TRY(folder.commit());
  }
  if (!a.trace.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.trace.folder());
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
  EDGETWIN_TRY(write_max78_pages(m, outcome, m.target + ": computed", console));
  return kYes;
}

}  // namespace edgetwin::cli
