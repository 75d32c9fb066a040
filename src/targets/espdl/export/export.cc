#include "targets/espdl/export/export.h"

#include <algorithm>
#include <memory>

#include "exec/input.h"
#include "formats/espdl/document/numerics_name.h"
#include "formats/espdl/export/export.h"
#include "formats/espdl/import/import.h"
#include "formats/espdl/read/read.h"
#include "formats/espdl/text/companions.h"
#include "formats/espdl/write/write.h"

namespace edgetwin::targets::espdl {
namespace {

using edgetwin::espdl::Document;
using edgetwin::espdl::Target;

constexpr uint32_t kSeed = 1;

Result<exec::Session> plan(Graph graph, const ExportSettings& settings) {
  exec::Options options;
  options.numerics = edgetwin::espdl::numerics_of(settings.target);
  options.runtime = settings.runtime;
  options.threads = settings.threads;
  options.allow_undefined = settings.allow_undefined;
  return exec::Session::create(std::make_shared<const Graph>(std::move(graph)), options);
}

Result<std::vector<Tensor>> inputs_for(const exec::Session& session,
                                       const std::vector<Tensor>& given) {
  const Graph& graph = session.graph();
  if (given.empty()) {
    std::vector<Shape> shapes;
    for (const ValueId id : graph.inputs) shapes.push_back(session.shape(id));
    return exec::generated_inputs(kSeed, graph, shapes);
  }
  if (given.size() != graph.inputs.size()) {
    return Error(ErrorCode::input_missing, std::to_string(given.size()) + " test inputs for " +
                                               std::to_string(graph.inputs.size()) +
                                               " inputs of the network");
  }
  return std::vector<Tensor>(given);
}

Result<std::vector<Tensor>> outputs_of(exec::Session& session, const std::vector<Tensor>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    EDGETWIN_TRY(session.set_input(i, inputs[i].data));
  }
  session.reset_variables();
  EDGETWIN_TRY(session.run());
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < session.graph().outputs.size(); ++i) outputs.push_back(session.output(i));
  return outputs;
}

// Test values under the names of the file, which may differ from those of the graph.
void embed(const exec::Session& session, const std::vector<Tensor>& inputs,
           const std::vector<Tensor>& outputs, Document& document) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Value& value = session.graph().value(session.graph().inputs[i]);
    Tensor t = inputs[i];
    t.name = document.inputs[i].name;
    t.dtype = value.dtype;
    t.shape = session.shape(session.graph().inputs[i]);
    t.quant = value.quant;
    document.test_inputs.push_back(edgetwin::espdl::to_test_value(t));
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    Tensor t = outputs[i];
    t.name = document.outputs[i].name;
    document.test_outputs.push_back(edgetwin::espdl::to_test_value(t));
  }
}

Error differs(const std::string& what) {
  return Error(ErrorCode::internal, "the exported file, opened again, " + what)
      .with_hint("Please report it with the command line and the network; nothing was written.");
}

// Runs the file that was written on the inputs of the graph.
Status read_back(const Exported& exported, const std::vector<Tensor>& inputs,
                 const std::vector<Tensor>& outputs, const ExportSettings& settings) {
  auto container = edgetwin::espdl::read(exported.file, "the exported file");
  if (!container.ok()) return differs("cannot be read: " + container.error().message);
  const Document& document = container->models[0].document;
  if (document != exported.document) return differs("holds something else than was written");
  // Without test values a reader knows no order of inputs and outputs; the twin needs one.
  Document ordered = document;
  if (ordered.test_inputs.empty()) {
    for (const auto& v : document.inputs)
      ordered.test_inputs.push_back({v.name, "", {}, {}, {}, {}});
    for (const auto& v : document.outputs) {
      ordered.test_outputs.push_back({v.name, "", {}, {}, {}, {}});
    }
  }
  auto model = edgetwin::espdl::import_document(ordered, settings.target, "the exported file");
  if (!model.ok()) return differs("is not understood: " + model.error().message);
  auto session = plan(std::move(model->graphs[0]), settings);
  if (!session.ok()) return differs("cannot be planned: " + session.error().message);
  const auto again = outputs_of(*session, inputs);
  if (!again.ok()) return differs("does not run: " + again.error().message);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if ((*again)[i].data != outputs[i].data || (*again)[i].quant != outputs[i].quant) {
      return differs("gives another output '" + outputs[i].name + "' than the network");
    }
  }
  return Ok{};
}

}  // namespace

Result<Exported> export_model(const Graph& graph, const std::vector<Tensor>& inputs,
                              const ExportSettings& settings) {
  Exported result;
  EDGETWIN_TRY_ASSIGN(result.document,
                      edgetwin::espdl::export_graph(graph, settings.target, settings.form));
  EDGETWIN_TRY_ASSIGN(exec::Session session, plan(graph, settings));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> given, inputs_for(session, inputs));
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> outputs, outputs_of(session, given));
  if (settings.embed_test_values) embed(session, given, outputs, result.document);
  result.findings = session.findings();
  const auto& seen = session.run_findings();
  result.findings.insert(result.findings.end(), seen.begin(), seen.end());
  const auto container = edgetwin::espdl::single({"", 2, false, result.document, {}});
  EDGETWIN_TRY_ASSIGN(result.file, edgetwin::espdl::write(container));
  EDGETWIN_TRY(read_back(result, given, outputs, settings));
  result.info = edgetwin::espdl::info_text(result.document);
  result.config =
      edgetwin::espdl::config_json(result.document, edgetwin::espdl::name(settings.target));
  return result;
}

}  // namespace edgetwin::targets::espdl
