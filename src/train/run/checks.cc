#include "train/run/checks.h"

#include "train/rules/rules.h"

namespace edgetwin::train {

Status check_shown(const RunSettings& settings, const Setup& setup) {
  const bool classes = setup.objective.judges_classes();
  if (settings.confusion && !classes) {
    return broken(Rule::conflict, "--confusion shows classes, and the loss has none");
  }
  if (settings.curves && (!classes || setup.data.train.kind != TargetKind::classes)) {
    return broken(Rule::conflict, "--pr-curves are of classes, one of each item");
  }
  if (settings.events || (!settings.curves && !settings.histograms)) return Ok{};
  return broken(Rule::conflict, std::string(settings.curves ? "--pr-curves" : "--param-hist") +
                                    " goes into the event file, which --no-tensorboard leaves out");
}

Status check_gradient_paths(const Setup& setup) {
  const Network& network = setup.model.network;
  std::vector<bool> trained;  // the layer, or one that it depends on, has trained parameters
  for (const NetworkLayer& layer : network.layers) {
    bool before = false;
    for (const int s : layer.sources)
      before = before || (s >= 0 && trained[static_cast<size_t>(s)]);
    const bool bitwise = layer.spec.eltwise == ai8x::Eltwise::bitwise_or ||
                         layer.spec.eltwise == ai8x::Eltwise::bitwise_xor;
    if (bitwise && before) {
      Error e = broken(Rule::gradient, "a bitwise operation comes after layers that are trained");
      e.place.file = network.file;
      e.place.line = layer.line;
      e.place.layer = layer.name;
      return e;
    }
    const bool own =
        layer.spec.has_weights() && !layer.frozen && !setup.frozen.contains(layer.name);
    trained.push_back(own || before);
  }
  return Ok{};
}

}  // namespace edgetwin::train
