#include "twin/machine.h"

#include "formats/darwinn/darwinn.h"
#include "ops/edgetpu/evidence.h"
#include "targets/edgetpu/runtime/machine_network.h"

namespace edgetwin::twin {
namespace {

// The model without its operators: what plans the inputs.
LoadedModel only_inputs(const LoadedModel& loaded) {
  const Model& whole = *loaded.model;
  auto model = std::make_shared<Model>();
  model->format = whole.format;
  model->description = whole.description;
  model->metadata = whole.metadata;
  model->findings = whole.findings;
  // A compiled operator has megabytes of options.
  const Graph& from = whole.main();
  Graph& graph = model->graphs.emplace_back();
  graph.layout = from.layout;
  graph.name = from.name;
  graph.values = from.values;
  graph.inputs = graph.outputs = from.inputs;
  LoadedModel copy = loaded;
  copy.model = std::move(model);
  return copy;
}

template <class T>
Result<T> in_file(Result<T> result, const std::string& file) {
  if (result.ok()) return result;
  Error error = std::move(result).error();
  // The machine calls the executable its file.
  if (!error.place.file.empty()) error.details.push_back("program " + error.place.file);
  return std::move(error).in_file(file);
}

}  // namespace

std::optional<Finding> open_point(const edgetpu::machine::MachineReport& report) {
  Finding f;
  f.severity = Severity::note;
  if (report.odd_functions != 0) {
    f.id = ops::edgetpu_evidence(ops::EdgetpuRule::lstm).id;
    f.message =
        "a recurrent layer: how tables of odd functions serve negative arguments is read off "
        "the instructions; no result of a device was compared";
    return f;
  }
  if (report.real_functions == 0) return std::nullopt;
  f.id = ops::edgetpu_evidence(ops::EdgetpuRule::scalar_softmax).id;
  f.message =
      "softmax in the scalar core: the precision of its powers and reciprocals is not known";
  return f;
}

std::string graph_numerics(const edgetpu::machine::MachineReport& report) {
  return std::string(kChipNumerics) + (report.real_functions > 0 ? ":softmax=scalar" : "");
}

Result<MachineRun> run_on_machine(ByteSpan data, const LoadedModel& loaded,
                                  const std::vector<std::string>& words,
                                  const ComputeOptions& compute, Resize resize,
                                  std::optional<uint64_t> interleave) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, loaded.file));
  const LoadedModel shell = only_inputs(loaded);
  EDGETWIN_TRY_ASSIGN(const exec::Session session, plan(shell, compute, false));
  MachineRun run;
  EDGETWIN_TRY_ASSIGN(run.inputs, load_inputs(words, shell, session, compute, resize));
  run.host.numerics = compute.numerics.empty() ? "tflite" : compute.numerics;
  run.host.threads = compute.threads;
  run.host.fast = !compute.plain;
  run.host.isa = compute.isa;
  EDGETWIN_TRY_ASSIGN(
      edgetpu::MachineNetwork network,
      in_file(edgetpu::MachineNetwork::make(loaded.model, file, run.host), loaded.file));
  if (interleave) network.interleave(*interleave);
  EDGETWIN_TRY_ASSIGN(run.outputs, in_file(network.run(run.inputs.tensors), loaded.file));
  run.report = network.report();
  run.findings = network.findings();
  for (const edgetpu::GraphPart& part : network.parts()) {
    if (!part.on_device) run.host_operators += part.count;
  }
  return run;
}

}  // namespace edgetwin::twin
