#include "train/run/setup.h"

#include "base/file.h"
#include "formats/ai8x/read_yaml.h"
#include "train/checkpoint/read.h"
#include "train/math/random.h"
#include "train/network/description.h"
#include "train/network/parameters.h"
#include "train/rules/rules.h"
#include "train/run/twin.h"

namespace edgetwin::train {
namespace {

std::string shape_text(int c, int h, int w) {
  return std::to_string(c) + "x" + std::to_string(h) + "x" + std::to_string(w);
}

Result<std::optional<StoredState>> initial_state(const RunSettings& settings) {
  if (settings.init.empty()) return std::optional<StoredState>();
  EDGETWIN_TRY_ASSIGN(Bytes bytes, read_file(settings.init));
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                      torch::Checkpoint::read(std::move(bytes), settings.init.string()));
  EDGETWIN_TRY_ASSIGN(StoredState state, StoredState::of(checkpoint));
  return std::optional<StoredState>(std::move(state));
}

BuildOptions options_of(const RunSettings& settings, const Setup& setup,
                        const std::optional<StoredState>& state) {
  BuildOptions options;
  options.input = {setup.data.train.channels, {setup.data.train.height, setup.data.train.width}};
  options.classes = static_cast<int>(setup.data.classes.size());
  options.bias = settings.bias;
  options.norm = settings.norm;
  if (!state) return options;
  size_t next = 0;
  for (const ai8x::Layer& layer : setup.network.layers) {
    if (!layer.takes_weights() || next >= state->layers().size()) continue;
    const StoredState::Layer& stored = state->layers()[next++];
    options.names.push_back(stored.name);
    options.out_channels.push_back(
        out_channels(stored, layer.op == ai8x::Operator::conv_transpose2d));
  }
  return options;
}

Status check_outputs(const Setup& setup) {
  const Network& network = setup.model.network;
  const NetworkLayer& last = network.layers[network.outputs()[0]];
  const auto classes = static_cast<int>(setup.data.classes.size());
  if (last.output == MapShape{classes, {1, 1}}) return Ok{};
  return broken(Rule::label, "the network has outputs of " +
                                 shape_text(last.output.c, last.output.size.h, last.output.size.w) +
                                 ", the data " + std::to_string(classes) + " classes")
      .in_file(network.file)
      .in_layer(last.name);
}

Status check_input(const Setup& setup) {
  const ai8x::Layer& first = setup.network.layers[0];
  const DataSet& d = setup.data.train;
  const bool channels = !first.in_channels || *first.in_channels == d.channels;
  const bool size = !first.in_dim || (first.in_dim->h == d.height && first.in_dim->w == d.width);
  if (channels && size) return Ok{};
  return broken(Rule::data_shape, "items are " + shape_text(d.channels, d.height, d.width) +
                                      ", which is not what the first layer states")
      .in_file(setup.network.file);
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

Status set_quantization(const RunSettings& settings, Model& model) {
  for (const auto& [name, o] : settings.overrides) {
    EDGETWIN_TRY(check_override(o, name, model.network));
  }
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    LayerQuantization& q = model.quantization[i];
    q.bits = layer.bits.value_or(settings.weight_bits.value_or(8));
    q.quantile = settings.shift_quantile;
    q.output_shift = layer.output_shift;
    const auto own = settings.overrides.find(layer.name);
    if (own == settings.overrides.end()) continue;
    q.bits = own->second.bits.value_or(q.bits);
    q.quantile = own->second.quantile.value_or(q.quantile);
  }
  return Ok{};
}

void split(const RunSettings& settings, Setup& setup) {
  if (!setup.data.validation.empty()) {
    setup.validation = setup.data.validation;
    const std::vector<uint32_t> items = all_indices(setup.data.train.items());
    std::set_difference(items.begin(), items.end(), setup.validation.begin(),
                        setup.validation.end(), std::back_inserter(setup.training));
    return;
  }
  std::vector<uint32_t> all = all_indices(setup.data.train.items());
  Random random(settings.seed, Purpose::validation);
  random.shuffle(all);
  const auto count = static_cast<size_t>(static_cast<double>(all.size()) * settings.validation);
  setup.validation.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  setup.training.assign(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  std::sort(setup.validation.begin(), setup.validation.end());
  std::sort(setup.training.begin(), setup.training.end());
}

}  // namespace

Result<Setup> set_up(const RunSettings& settings) {
  Setup setup;
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(settings.description));
  setup.description = std::string(as_text(text));
  EDGETWIN_TRY_ASSIGN(
      setup.network,
      ai8x::read_network(setup.description, settings.description.string(), settings.device));
  EDGETWIN_TRY_ASSIGN(setup.data, read_data(settings.data));
  EDGETWIN_TRY_ASSIGN(const std::optional<StoredState> state, initial_state(settings));
  EDGETWIN_TRY(check_input(setup));
  EDGETWIN_TRY_ASSIGN(setup.model.network,
                      build_network(setup.network, options_of(settings, setup, state)));
  EDGETWIN_TRY(check_outputs(setup));
  initialize(setup.model, settings.seed,
             settings.he_fan_out ? InitKind::he_fan_out : InitKind::uniform);
  if (state) EDGETWIN_TRY(load_state(*state, setup.model));
  setup.model.quantized = false;
  EDGETWIN_TRY(set_quantization(settings, setup.model));
  split(settings, setup);
  if (setup.training.empty()) {
    return broken(Rule::data_part, "no items are left for training")
        .in_file(settings.data.string());
  }
  EDGETWIN_TRY(check_rules(settings, setup));
  return setup;
}

}  // namespace edgetwin::train
