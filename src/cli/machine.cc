#include "cli/machine.h"

#include "formats/darwinn/darwinn.h"

namespace edgetwin::cli {
namespace {

// The model without its operators: what plans the inputs.
LoadedModel only_inputs(const LoadedModel& loaded) {
  auto model = std::make_shared<Model>(*loaded.model);
  model->graphs.resize(1);
  Graph& graph = model->graphs.front();
  graph.ops.clear();
  graph.outputs = graph.inputs;
  model->signatures.clear();
  LoadedModel copy = loaded;
  copy.model = std::move(model);
  return copy;
}

Error not_whole(const LoadedModel& loaded, std::string what) {
  return Error(ErrorCode::usage, std::move(what)).in_file(loaded.file);
}

// Which tensor of the graph a layer of the program is.
const Value& value_of(const Graph& graph, const std::vector<ValueId>& ids, size_t index,
                      const std::string& name) {
  for (const ValueId id : ids) {
    if (graph.value(id).name == name) return graph.value(id);
  }
  return graph.value(ids[index]);
}

Result<std::vector<Bytes>> execute(const darwinn::Package& package, const Graph& graph,
                                   const std::vector<Tensor>& tensors,
                                   edgetpu::machine::MachineReport& report) {
  EDGETWIN_TRY_ASSIGN(edgetpu::machine::Machine machine, edgetpu::machine::Machine::make(package));
  const darwinn::Executable& e = machine.executable();
  std::vector<ByteSpan> inputs;
  for (size_t n = 0; n < e.inputs.size(); ++n) {
    for (size_t k = 0; k < graph.inputs.size(); ++k) {
      const bool named = graph.value(graph.inputs[k]).name == e.inputs[n].name;
      if (named || (k == n && inputs.size() <= n)) {
        inputs.resize(n + 1);
        inputs[n] = tensors[k].data;
      }
    }
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> outputs, machine.run_dense(inputs));
  report = machine.report();
  return outputs;
}

}  // namespace

Result<MachineRun> run_on_machine(ByteSpan data, const LoadedModel& loaded,
                                  const std::vector<std::string>& words,
                                  const ComputeArguments& compute) {
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(data, loaded.file));
  const Graph& graph = loaded.model->main();
  if (file.ops.size() != 1 || graph.ops.size() != 1 || file.ops[0].packages.empty()) {
    return not_whole(loaded,
                     "the machine executes a model that is one compiled operator; this has " +
                         std::to_string(graph.ops.size()) + " operators, " +
                         std::to_string(file.ops.size()) + " of them compiled");
  }
  const LoadedModel shell = only_inputs(loaded);
  EDGETWIN_TRY_ASSIGN(const exec::Session session, plan(shell, compute, false));
  MachineRun run;
  EDGETWIN_TRY_ASSIGN(run.inputs, load_inputs(words, shell, session, compute));
  const darwinn::Package& package = file.ops[0].packages[0];
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> outputs,
                      execute(package, graph, run.inputs.tensors, run.report));
  const darwinn::Executable& e = *package.inference();
  for (size_t n = 0; n < outputs.size() && n < graph.outputs.size(); ++n) {
    const Value& v = value_of(graph, graph.outputs, n, e.outputs[n].name);
    Tensor t;
    t.name = v.name;
    t.dtype = v.dtype;
    t.shape = v.shape;
    t.quant = v.quant;
    t.data = std::move(outputs[n]);
    if (t.data.size() != static_cast<size_t>(t.shape.elements()) * byte_size(t.dtype)) {
      return not_whole(loaded, "output '" + t.name + "' has another size in the program");
    }
    run.outputs.push_back(std::move(t));
  }
  return run;
}

}  // namespace edgetwin::cli
