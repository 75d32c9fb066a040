// Whole networks with the parameters of a checkpoint: float, quantized and integer.
#include "base/file.h"
#include "formats/ai8x/read_yaml.h"
#include "train/cases/kinds.h"
#include "train/cases/known.h"
#include "train/checkpoint/read.h"
#include "train/losses/losses.h"
#include "train/network/description.h"
#include "train/network/integer.h"
#include "train/network/parameters.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

Result<ai8x::Network> description_of(const CaseEntry& entry, const std::filesystem::path& folder,
                                     const std::string& arch) {
  const std::string file = entry.text("network", "");
  if (!file.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder / file));
    return ai8x::read_network(as_text(data), file, ai8x::Device::max78000);
  }
  const auto known = known_description(arch);
  if (!known) {
    return broken(Rule::recorded_case, "the entry names no description and its arch is unknown")
        .in_field(arch);
  }
  return ai8x::read_network(*known, arch, ai8x::Device::max78000);
}

Result<Model> model_of(const CaseEntry& entry, const std::filesystem::path& folder,
                       const MapShape& input) {
  const std::string file = entry.text("checkpoint", entry.text("checkpoint_qat", ""));
  EDGETWIN_TRY_ASSIGN(Bytes data, read_file(folder / file));
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                      torch::Checkpoint::read(std::move(data), file));
  EDGETWIN_TRY_ASSIGN(const StoredState state, StoredState::of(checkpoint));
  EDGETWIN_TRY_ASSIGN(const ai8x::Network description, description_of(entry, folder, state.arch()));
  BuildOptions options;
  options.input = input;
  size_t next = 0;
  for (const ai8x::Layer& layer : description.layers) {
    if (!layer.takes_weights() || next >= state.layers().size()) continue;
    const StoredState::Layer& stored = state.layers()[next++];
    const bool transposed = layer.op == ai8x::Operator::conv_transpose2d;
    options.names.push_back(stored.name);
    options.out_channels.push_back(out_channels(stored, transposed));
  }
  Model model;
  EDGETWIN_TRY_ASSIGN(model.network, build_network(description, options));
  EDGETWIN_TRY(load_state(state, model));
  return model;
}

// Outputs, loss and gradients of one phase.
void add_phase(Model& model, const Maps& input, std::span<const int64_t> targets,
               const std::string& phase, ThreadPool& pool, CaseResults& results) {
  Recording recording;
  forward(model, input, false, recording, pool);
  Loss loss = cross_entropy(recording.outputs.back(), targets);
  results.add("y_" + phase, recording.outputs.back(), 2);
  results.add("loss_" + phase, static_cast<float>(loss.value));
  std::vector<std::pair<size_t, Maps>> gradients;
  gradients.emplace_back(recording.outputs.size() - 1, std::move(loss.gradient));
  const auto own = backward(model, recording, std::move(gradients), pool);
  for_each_parameter(model, &own, [&](const ParameterRef& p) {
    results.add("grad_" + phase + "/" + p.name, p.shape, std::span<const float>(*p.gradient));
  });
}

void add_integers(const Model& model, CaseResults& results) {
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    if (model.parameters[i].weights.empty()) continue;
    const IntegerParameters p = integer_parameters(model, i);
    const auto shift = static_cast<float>(p.shift);
    results.add("shift/" + layer.name, {1}, std::span(&shift, 1));
    results.add("w_int/" + layer.name, DType::int8, weight_shape(layer.spec), p.weights);
    if (p.bias.empty()) continue;
    std::vector<int32_t> stored;
    for (const int32_t b : p.bias) stored.push_back(b * (1 << (p.bits - 1)));
    results.add("b_stored/" + layer.name, DType::int16, {static_cast<int64_t>(stored.size())},
                stored);
  }
}

}  // namespace

Result<CaseResults> compute_network(const CaseEntry& entry, const CaseArrays& in,
                                    const std::filesystem::path& folder, ThreadPool& pool) {
  EDGETWIN_TRY_ASSIGN(const Tensor* x, in.get("x_int"));
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> targets, in.integers("target"));
  const IntMaps integers = integer_maps_of(*x);
  Maps input = maps_of(*x);
  for (float& v : input.values) v /= kGrid;
  EDGETWIN_TRY_ASSIGN(Model model, model_of(entry, folder, {input.c, {input.h, input.w}}));
  CaseResults results;
  model.quantized = false;
  add_phase(model, input, targets, "float", pool, results);
  model.quantized = true;
  add_phase(model, input, targets, "qat", pool, results);
  add_integers(model, results);
  results.add("y_int", integer_forward(model, integers, pool).back(), 2);
  return results;
}

}  // namespace edgetwin::train
