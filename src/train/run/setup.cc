#include "train/run/setup.h"

#include <algorithm>
#include <cstdio>

#include "base/file.h"
#include "formats/ai8x/read_yaml.h"
#include "train/checkpoint/read.h"
#include "train/math/random.h"
#include "train/network/description.h"
#include "train/network/parameters.h"
#include "train/rules/rules.h"
#include "train/run/checks.h"
#include "train/run/memory.h"
#include "train/run/setup_checks.h"
#include "train/run/summary.h"
#include "train/run/twin.h"
#include "train/score/evaluate.h"

namespace edgetwin::train {
namespace {

constexpr double kUsualValidation = 0.1;

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

Result<std::optional<StoredState>> initial_state(const RunSettings& settings) {
  if (settings.init.empty() && settings.initial.empty()) return std::optional<StoredState>();
  Bytes bytes = settings.initial;
  if (bytes.empty()) {
    EDGETWIN_TRY_ASSIGN(bytes, read_file(settings.init));
  }
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                      torch::Checkpoint::read(std::move(bytes), settings.init.string()));
  EDGETWIN_TRY_ASSIGN(StoredState state, StoredState::of(checkpoint));
  return std::optional<StoredState>(std::move(state));
}

BuildOptions options_of(const RunSettings& settings, const Setup& setup,
                        const std::optional<StoredState>& state) {
  BuildOptions options;
  const PictureSize in = setup.data.train.input();
  options.input = {in.channels, {in.height, in.width}};
  options.classes = static_cast<int>(setup.data.classes.size());
  if (settings.loss.kind == LossKind::multibox) {
    options.classes = settings.loss.detector.channels(options.classes);
  }
  options.bias = settings.bias;
  options.norm = settings.norm;
  options.average_rounding = settings.average_rounding;
  for (const auto& [name, layer] : settings.layers) {
    if (layer.norm) options.norms[name] = *layer.norm;
    if (layer.bias) options.biases[name] = *layer.bias;
  }
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

Status check_layers(const RunSettings& settings, Setup& setup) {
  for (const auto& [name, layer] : settings.layers) {
    const auto& all = setup.model.network.layers;
    const bool known = std::any_of(all.begin(), all.end(), [&, n = name](const NetworkLayer& l) {
      return l.name == n && l.spec.has_weights();
    });
    if (!known) {
      Error e =
          broken(Rule::setting, "the network has no layer with weights of the name '" + name + "'");
      e.place = layer.place;
      return e;
    }
    if (layer.freeze.value_or(false)) setup.frozen.insert(name);
  }
  const size_t last = setup.model.network.outputs()[0];
  for (size_t i = 0; i < setup.model.network.layers.size(); ++i) {
    NetworkLayer& l = setup.model.network.layers[i];
    if (l.spec.has_weights() && i != last) l.dropout = static_cast<float>(settings.dropout);
    const auto own = settings.layers.find(l.name);
    if (own != settings.layers.end()) l.dropout = own->second.dropout.value_or(l.dropout);
  }
  return Ok{};
}

Status set_quantization(const RunSettings& settings, Model& model) {
  for (const auto& [name, o] : settings.overrides) {
    EDGETWIN_TRY(check_override(o, name, model.network));
  }
  bool below = false;
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    LayerQuantization& q = model.quantization[i];
    q.bits = layer.bits.value_or(settings.weight_bits.value_or(8));
    q.quantile = settings.shift_quantile;
    q.output_shift = layer.output_shift;
    const auto said = settings.layers.find(layer.name);
    if (said != settings.layers.end()) q.quantile = said->second.quantile.value_or(q.quantile);
    const auto own = settings.overrides.find(layer.name);
    if (own != settings.overrides.end()) {
      q.bits = own->second.bits.value_or(q.bits);
      q.quantile = own->second.quantile.value_or(q.quantile);
    }
    EDGETWIN_TRY(check_output_shift(model.network, layer, q));
    if (settings.older_quantile) q.rule = QuantileRule::older;
    below = below || q.quantile < 1;
  }
  if (!settings.older_quantile || below) return Ok{};
  return broken(Rule::conflict, "--upstream-bugs changes quantiles, and all layers have that of 1");
}

// Objective without its teacher.
Status set_objective(const RunSettings& settings, Setup& setup) {
  Objective& o = setup.objective;
  o.kind = settings.loss.kind;
  o.distillation = settings.loss.distillation;
  o.detector = settings.loss.detector;
  if (settings.class_weights.empty()) return Ok{};
  if (o.kind != LossKind::cross_entropy) {
    return broken(Rule::conflict, "`class_weights` belong to the loss cross_entropy alone");
  }
  o.class_weights.assign(setup.data.classes.size(), 1.0F);
  for (const auto& [name, weight] : settings.class_weights) {
    const auto at = std::find(setup.data.classes.begin(), setup.data.classes.end(), name);
    if (at == setup.data.classes.end()) {
      return broken(Rule::conflict, "`class_weights` has '" + name + "', the data no such class")
          .in_file(settings.data.string());
    }
    o.class_weights[static_cast<size_t>(at - setup.data.classes.begin())] =
        static_cast<float>(weight);
  }
  return Ok{};
}

// Steps that cut give the size that the network reads, also of items that are not augmented.
Status set_crops(const RunSettings& settings, Data& data) {
  PictureSize size = {data.train.channels, data.train.height, data.train.width};
  const Augmentation* last = nullptr;
  for (const Augmentation& step : settings.augment) {
    if (!is_crop(step.kind) || step.height == 0) continue;
    const bool fits = step.height <= size.height && step.width <= size.width;
    if (!fits && step.kind != AugmentKind::resized_crop) {
      return broken(Rule::data_shape, "a crop of " + std::to_string(step.height) + "x" +
                                          std::to_string(step.width) +
                                          " is larger than the items, which are " +
                                          shape_text(size.channels, size.height, size.width))
          .detail("`data: {resize: [rows, columns]}` makes pictures larger");
    }
    size = size_after(size, std::span(&step, 1));
    last = &step;
  }
  if (last == nullptr) return Ok{};
  if (data.train.kind == TargetKind::masks || data.train.kind == TargetKind::boxes ||
      data.format == "sounds") {
    return broken(Rule::conflict,
                  "a step of `augment` cuts items to another size, which data of "
                  "the form " +
                      data.format + " do not allow");
  }
  if (size.height < data.train.fold || size.width < data.train.fold) {
    return broken(Rule::data_shape, "`fold` is larger than a crop of `augment`");
  }
  for (DataSet* set : {&data.train, &data.test}) {
    set->crop_height = size.height;
    set->crop_width = size.width;
    set->crop_resized = last->kind == AugmentKind::resized_crop;
  }
  return Ok{};
}

void initialize_by(const RunSettings& settings, Model& model) {
  const auto kind = [](bool he) { return he ? InitKind::he_fan_out : InitKind::uniform; };
  std::map<std::string, InitKind> others;
  for (const auto& [name, layer] : settings.layers) {
    if (layer.he_fan_out) others[name] = kind(*layer.he_fan_out);
  }
  initialize(model, settings.seed, kind(settings.he_fan_out), others);
}

Result<Setup> read_all(const RunSettings& settings, std::optional<StoredState>& state) {
  Setup setup;
  setup.description = settings.description_text;
  if (setup.description.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(settings.description));
    setup.description = std::string(as_text(text));
  }
  EDGETWIN_TRY_ASSIGN(
      setup.network,
      ai8x::read_network(setup.description, settings.description.string(), settings.device));
  DataOptions options = settings.data_options;
  options.values = settings.loss.kind == LossKind::mse;
  EDGETWIN_TRY_ASSIGN(setup.data, read_data(settings.data, options));
  EDGETWIN_TRY(set_crops(settings, setup.data));
  EDGETWIN_TRY_ASSIGN(state, initial_state(settings));
  EDGETWIN_TRY(check_input(settings, setup));
  EDGETWIN_TRY_ASSIGN(setup.model.network,
                      build_network(setup.network, options_of(settings, setup, state)));
  EDGETWIN_TRY(set_objective(settings, setup));
  EDGETWIN_TRY(check_objective(setup.objective, setup.data, setup.model.network));
  return setup;
}

// What is judged reads its data as it was trained with them.
void adopt_normalisation(const StoredState& state, Data& data) {
  if (state.normalisation().empty() || data.levels || !has_bytes(data)) return;
  const bool vendor = state.normalisation() == normalisation_name(Normalisation::vendor);
  for (DataSet* set : {&data.train, &data.test}) {
    set->normalisation = vendor ? Normalisation::vendor : Normalisation::centered;
  }
}

Status load_teacher(const RunSettings& settings, Setup& setup) {
  if (setup.objective.kind != LossKind::distillation) return Ok{};
  RunSettings own = settings;
  own.loss = {};
  own.class_weights.clear();
  own.layers.clear();
  own.init = settings.loss.teacher;
  own.initial.clear();
  if (!settings.loss.teacher_description.empty()) {
    own.description = settings.loss.teacher_description;
    own.description_text.clear();
  }
  EDGETWIN_TRY_ASSIGN(Setup teacher, open_trained(own));
  setup.objective.teacher = std::make_shared<Model>(std::move(teacher.model));
  return Ok{};
}

}  // namespace

Result<Parts> parts_of(const RunSettings& settings, const Data& data) {
  Parts parts;
  if (!data.validation.empty()) {
    if (settings.validation) {
      return broken(Rule::conflict,
                    "the data have " + std::to_string(data.validation.size()) +
                        " validation items of their own: a part to draw contradicts them")
          .in_file(settings.data.string())
          .detail("--validation-split or `validation`: " + number_text(*settings.validation));
    }
    parts.validation = data.validation;
    const std::vector<uint32_t> items = all_indices(data.train.items());
    std::set_difference(items.begin(), items.end(), parts.validation.begin(),
                        parts.validation.end(), std::back_inserter(parts.training));
    return parts;
  }
  std::vector<uint32_t> all = all_indices(data.train.items());
  Random random(settings.seed, Purpose::validation);
  random.shuffle(all);
  const auto count = static_cast<size_t>(static_cast<double>(all.size()) *
                                         settings.validation.value_or(kUsualValidation));
  parts.validation.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
  parts.training.assign(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  std::sort(parts.validation.begin(), parts.validation.end());
  std::sort(parts.training.begin(), parts.training.end());
  return parts;
}

Result<Setup> open_trained(const RunSettings& settings) {
  std::optional<StoredState> state;
  EDGETWIN_TRY_ASSIGN(Setup setup, read_all(settings, state));
  if (!state) return broken(Rule::checkpoint, "no checkpoint was given");
  setup.model.quantization.resize(setup.model.network.layers.size());
  for (size_t i = 0; i < setup.model.network.layers.size(); ++i) {
    const NetworkLayer& layer = setup.model.network.layers[i];
    setup.model.quantization[i].bits = layer.bits.value_or(8);
    setup.model.quantization[i].output_shift = layer.output_shift;
  }
  EDGETWIN_TRY(load_state(*state, setup.model));
  adopt_normalisation(*state, setup.data);
  if (state->average_rounding()) {
    set_average_rounding(setup.model.network, *state->average_rounding());
  }
  return setup;
}

Result<Setup> set_up(const RunSettings& settings) {
  std::optional<StoredState> state;
  EDGETWIN_TRY_ASSIGN(Setup setup, read_all(settings, state));
  EDGETWIN_TRY(check_layers(settings, setup));
  EDGETWIN_TRY(check_augmentation(settings, setup));
  initialize_by(settings, setup.model);
  EDGETWIN_TRY(check_rounding(settings, setup.model.network));
  EDGETWIN_TRY(check_method(settings, setup.model.network));
  if (state) {
    EDGETWIN_TRY(check_initial(settings, *state));
    EDGETWIN_TRY(load_state(*state, setup.model));
  }
  setup.model.quantized = false;
  setup.model.method = settings.qat_method;
  EDGETWIN_TRY(set_quantization(settings, setup.model));
  EDGETWIN_TRY_ASSIGN(Parts parts, parts_of(settings, setup.data));
  setup.training = std::move(parts.training);
  setup.validation = std::move(parts.validation);
  if (setup.training.empty()) {
    return broken(Rule::data_part, "no items are left for training")
        .in_file(settings.data.string());
  }
  if (static_cast<size_t>(settings.sample) >= setup.data.test.items()) {
    return broken(Rule::setting, "there is no test item " + std::to_string(settings.sample));
  }
  EDGETWIN_TRY(check_shown(settings, setup));
  EDGETWIN_TRY(check_gradient_paths(setup));
  const size_t batch = std::min(static_cast<size_t>(settings.batch), setup.training.size());
  EDGETWIN_TRY(check_batch_memory(setup.model.network, batch, available_memory()));
  setup.summary = summary_of(settings, setup);
  EDGETWIN_TRY(load_teacher(settings, setup));
  EDGETWIN_TRY(check_rules(settings, setup));
  return setup;
}

}  // namespace edgetwin::train
