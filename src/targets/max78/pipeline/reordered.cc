#include "targets/max78/pipeline/reordered.h"

#include <algorithm>

#include "formats/ai8x/read_yaml.h"
#include "formats/torch/checkpoint.h"

namespace edgetwin::max78 {
namespace {

// "conv1.op.weight" and "conv1.weight" belong to "conv1.".
std::string module_of(const std::string& weights) {
  std::string path = weights.substr(0, weights.rfind('.'));
  const size_t op = path.rfind('.');
  return (op == std::string::npos ? path : path.substr(0, op)) + ".";
}

// Layers with parameters of their own, whose written numbers no longer ascend.
bool parameters_move(const LoadedNetwork& network) {
  int last = -1;
  for (size_t i = 0; i < network.planned->order.size(); ++i) {
    if (!network.network.layers[i].takes_weights()) continue;
    const int written = network.planned->order[i];
    if (written < last) return true;
    last = written;
  }
  return false;
}

// Layers that share a line cannot be given other numbers line by line.
Status check_text(const NetworkSources& sources, const LoadedNetwork& network) {
  const std::string& file = sources.description.name();
  const auto again = ai8x::read_network_report(network.description, file, sources.device);
  if (again.network) return Ok{};
  Error e(ErrorCode::usage, "the description cannot be written in the planned order of layers");
  e.place.file = file;
  e.hint = "Write each key of its layers on a line of its own; or use compile --plan.";
  return e;
}

}  // namespace

Result<std::optional<Bytes>> reordered_checkpoint(const NetworkSources& sources,
                                                  const LoadedNetwork& network) {
  if (!network.planned || network.planned->order.empty()) return std::optional<Bytes>{};
  EDGETWIN_TRY(check_text(sources, network));
  if (!parameters_move(network)) return std::optional<Bytes>{};
  // Pseudo-random parameters belong to no file.
  EDGETWIN_TRY_ASSIGN(const auto seed, seed_of(sources.weights.name()));
  if (seed) return std::optional<Bytes>{};
  if (!sources.checkpoint.given()) {
    return Error(ErrorCode::usage,
                 "the planned order of layers is another than that of the arrays of parameters")
        .with_hint("compile --plan takes them as they are; a checkpoint would be written anew.");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes data, sources.checkpoint.read());
  EDGETWIN_TRY_ASSIGN(torch::Checkpoint c,
                      torch::Checkpoint::read(data, sources.checkpoint.name()));
  EDGETWIN_TRY_ASSIGN(const auto entries, c.state_dict());
  const torch::NodeId sorted = c.add_dict(true);
  std::vector<bool> taken(entries.size(), false);
  const auto take = [&](const std::string& start) {
    for (size_t i = 0; i < entries.size(); ++i) {
      if (taken[i] || !entries[i].name.starts_with(start)) continue;
      taken[i] = true;
      c.append(sorted, entries[i].name, entries[i].tensor);
    }
  };
  for (size_t i = 0; i < network.network.layers.size(); ++i) {
    if (!network.network.layers[i].takes_weights()) continue;
    take(module_of(network.parameters.layers[i].source));
  }
  take("");
  c.set(c.root(), "state_dict", sorted);
  EDGETWIN_TRY_ASSIGN(Bytes bytes, torch::write(c));
  return std::optional<Bytes>(std::move(bytes));
}

}  // namespace edgetwin::max78
