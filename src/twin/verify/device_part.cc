#include "twin/verify/device_part.h"

#include <algorithm>

#include "formats/darwinn/darwinn.h"
#include "transform/subgraph.h"

namespace edgetwin::twin {
namespace {

// The same file with another network.
LoadedModel with_graph(const LoadedModel& loaded, Graph graph) {
  auto model = std::make_shared<Model>(*loaded.model);
  model->graphs.resize(1);
  model->graphs.front() = std::move(graph);
  model->signatures.clear();
  LoadedModel copy = loaded;
  copy.model = std::move(model);
  return copy;
}

}  // namespace

LoadedModel device_part(const LoadedModel& compiled) {
  Graph graph = compiled.model->main();
  size_t end = 0;
  std::vector<ValueId> sent;
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const auto* custom = std::get_if<OpaqueAttrs>(&graph.ops[i].attrs);
    if (custom == nullptr || custom->name != darwinn::kCustomCode) continue;
    end = i + 1;
    const auto& outputs = graph.ops[i].outputs;
    sent.insert(sent.end(), outputs.begin(), outputs.end());
  }
  if (end == 0) return {};
  // Operators keep their numbers, by which the executables are found.
  graph.ops.resize(end);
  graph.outputs = std::move(sent);
  return with_graph(compiled, std::move(graph));
}

Result<LoadedModel> part_with_outputs(const LoadedModel& network,
                                      const std::vector<std::string>& names) {
  const Graph& whole = network.model->main();
  std::vector<ValueId> outputs;
  for (const std::string& name : names) {
    const auto at =
        std::ranges::find_if(whole.values, [&](const Value& v) { return v.name == name; });
    if (at == whole.values.end()) {
      return Error(ErrorCode::usage, "the source has no tensor '" + name + "'")
          .in_file(network.file)
          .with_hint("--reference names the model that was given to the compiler.");
    }
    outputs.push_back(static_cast<ValueId>(at - whole.values.begin()));
  }
  return with_graph(network, transform::part_for(whole, std::move(outputs)));
}

std::vector<std::string> output_names(const LoadedModel& network) {
  const Graph& graph = network.model->main();
  std::vector<std::string> names;
  for (const ValueId id : graph.outputs) names.push_back(graph.value(id).name);
  return names;
}

}  // namespace edgetwin::twin
