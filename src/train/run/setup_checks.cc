#include "train/run/setup_checks.h"

#include <algorithm>
#include <cstdlib>

#include "train/layers/shift.h"
#include "train/network/model.h"
#include "train/rules/rules.h"
#include "train/run/checks.h"
#include "train/run/summary.h"

namespace edgetwin::train {

Status check_input(const RunSettings& settings, const Setup& setup) {
  const ai8x::Layer& first = setup.network.layers[0];
  const PictureSize in = setup.data.train.input();
  const std::vector<int>& stated = settings.input;
  if (!stated.empty() && (stated[0] != in.channels || stated[1] != in.height ||
                          (stated.size() > 2 ? stated[2] : 1) != in.width)) {
    return broken(Rule::data_shape,
                  "items are " + shape_text(in.channels, in.height, in.width) +
                      ", `input` of the settings is " +
                      shape_text(stated[0], stated[1], stated.size() > 2 ? stated[2] : 1))
        .in_file(settings.data.string())
        .detail("`data: {resize: [rows, columns]}` brings pictures to one size");
  }
  const bool channels = !first.in_channels || *first.in_channels == in.channels;
  const bool size = !first.in_dim || (first.in_dim->h == in.height && first.in_dim->w == in.width);
  if (channels && size) return Ok{};
  Error e = broken(Rule::data_shape, "items are " + shape_text(in.channels, in.height, in.width) +
                                         ", which is not what the first layer states");
  e.details.emplace_back("`data: {resize: [rows, columns]}` brings pictures to one size");
  e.place.file = setup.network.file;
  return e;
}

Status check_override(const LayerOverride& o, const std::string& name, const Network& network) {
  for (const NetworkLayer& layer : network.layers) {
    if (layer.name != name || !layer.spec.has_weights()) continue;
    if (!o.bits || !layer.bits || *o.bits == *layer.bits) return Ok{};
    Error e =
        broken(Rule::conflict, "the policy gives `" + name + "` " + std::to_string(*o.bits) +
                                   " weight bits, the description " + std::to_string(*layer.bits));
    e.place = o.place;
    e.details.push_back(network.file + ":" + std::to_string(layer.line) + ": the layer");
    return e;
  }
  Error e = broken(Rule::bits, "the network has no layer with weights of the name '" + name + "'");
  e.place = o.place;
  for (const NetworkLayer& layer : network.layers) {
    if (layer.spec.has_weights()) e.details.push_back("layer: " + layer.name);
  }
  return e;
}

Status check_output_shift(const Network& network, const NetworkLayer& layer,
                          const LayerQuantization& q) {
  const int added = 8 - q.bits;
  if (!q.output_shift || std::abs(*q.output_shift + added) <= kLargestShift) return Ok{};
  Error e = broken(Rule::shift, "the description's output_shift leaves the range of the chip");
  e.place.file = network.file;
  e.place.line = layer.line;
  e.place.layer = layer.name;
  e.details.push_back("output_shift " + std::to_string(*q.output_shift) + " + 8 - " +
                      std::to_string(q.bits) + " bits must be within -15 .. 15");
  e.hint = "Write an output_shift of " + std::to_string(-kLargestShift - added) + " .. " +
           std::to_string(kLargestShift - added) + ", or leave it out.";
  return e;
}

Status check_method(const RunSettings& settings, const Network& network) {
  const bool thresholds = settings.qat_method == QuantizationMethod::thresholds;
  if (settings.outlier_score && !thresholds) {
    return broken(Rule::conflict,
                  "`outlier_removal_z_score` belongs to `qat: {method: thresholds}`, and the "
                  "method is shifts");
  }
  if (!thresholds) return Ok{};
  for (const NetworkLayer& layer : network.layers) {
    const bool bitwise = layer.spec.eltwise == ai8x::Eltwise::bitwise_or ||
                         layer.spec.eltwise == ai8x::Eltwise::bitwise_xor;
    if (!layer.output_shift && !bitwise) continue;
    Error e =
        broken(Rule::conflict, bitwise ? "a bitwise operation has no activation threshold"
                                       : "`output_shift` and the method of thresholds both say "
                                         "what the layer's outputs are shifted by");
    e.place.file = network.file;
    e.place.line = layer.line;
    e.place.layer = layer.name;
    return e;
  }
  return Ok{};
}

Status check_rounding(const RunSettings& settings, const Network& network) {
  if (!settings.average_rounding || average_rounding(network)) return Ok{};
  return broken(
             Rule::conflict,
             "--avg-pool-rounding (`avg_pool_rounding: true`) changes nothing: the network has no "
             "average pooling")
      .in_file(settings.description.string())
      .with_hint("Leave it out.");
}

Status check_stored_method(const RunSettings& settings, const StoredState& state) {
  const bool thresholds = settings.qat_method == QuantizationMethod::thresholds;
  if (state.thresholds() == thresholds) return Ok{};
  const auto& layers = state.layers();
  const bool norm = std::any_of(layers.begin(), layers.end(), [](const auto& l) { return l.norm; });
  // Plain weights are the same for both.
  if (thresholds && !norm && !state.quantized()) return Ok{};
  return broken(Rule::checkpoint_method, thresholds ? "the checkpoint has no activation thresholds"
                                                    : "the checkpoint has activation thresholds")
      .in_file(state.file())
      .in_field((layers.empty() ? "" : layers[0].name) + ".activation_threshold");
}

Status check_initial(const RunSettings& settings, const StoredState& state) {
  EDGETWIN_TRY(check_stored_method(settings, state));
  if (!state.thresholds() || !state.quantized()) return Ok{};
  return broken(
             Rule::checkpoint_method,
             "the biases of the checkpoint are divided by activation thresholds, which a new run "
             "does not have yet")
      .in_file(state.file())
      .with_hint("Go on with it by --resume-from, or begin with a checkpoint of floating point.");
}

Status check_augmentation(const RunSettings& settings, const Setup& setup) {
  for (const Augmentation& step : settings.augment) {
    if (is_sound(step.kind) && setup.data.format != "sounds") {
      return broken(
          Rule::conflict,
          "a step of `augment` changes sounds, the data are of the form " + setup.data.format);
    }
    const bool masks = setup.data.train.kind == TargetKind::masks;
    const bool boxes = setup.data.train.kind == TargetKind::boxes;
    if ((!masks && !boxes) || !moves(step.kind) || step.kind == AugmentKind::flip) continue;
    return broken(Rule::conflict, std::string("a step of `augment` would tear pictures and ") +
                                      (masks ? "masks" : "boxes") +
                                      " apart: of those that move only `flip` goes with " +
                                      (masks ? "masks" : "boxes"));
  }
  return Ok{};
}

}  // namespace edgetwin::train
