// Batch normalization into the convolution before it (specification max7800x-numerics, 11).
#include <cmath>

#include "targets/max78/quantize/quantize.h"
#include "targets/max78/quantize/state.h"

namespace edgetwin::max78 {
namespace {

constexpr float kQuarter = 0.25F;  // the training graph divides by 4 after the normalization

Error fold_error(const std::string& layer, const std::string& what) {
  return Error(ErrorCode::ai8x_fold, "layer '" + layer + "': " + what).in_field(layer + ".bn");
}

// The entry's values, or `count` times `otherwise` where there is no entry.
Result<std::vector<float>> values(State& state, const std::string& name, size_t count,
                                  float otherwise, const std::string& layer) {
  if (state.find(name) == nullptr) return std::vector<float>(count, otherwise);
  EDGETWIN_TRY_ASSIGN(std::vector<float> out, state.floats(name, ErrorCode::ai8x_fold));
  if (out.size() != count) {
    return fold_error(layer, "'" + name + "' has " + std::to_string(out.size()) + " values for " +
                                 std::to_string(count) + " channels");
  }
  return out;
}

Status fold_layer(State& state, const std::string& layer, float epsilon) {
  std::string op = layer + ".op";
  if (state.find(op + ".weight") == nullptr) op = layer + ".conv2d";
  const Tensor* stored = state.find(op + ".weight");
  if (stored == nullptr || stored->shape.rank() < 1 || stored->shape.elements() == 0) {
    return fold_error(layer, "there are no weights '.op.weight' or '.conv2d.weight' to fold into");
  }
  const Shape shape = stored->shape;
  const auto channels = static_cast<size_t>(shape[0]);
  EDGETWIN_TRY_ASSIGN(std::vector<float> weights,
                      state.floats(op + ".weight", ErrorCode::ai8x_fold));
  const std::string bn = layer + ".bn.";
  EDGETWIN_TRY_ASSIGN(auto bias, values(state, op + ".bias", channels, 0, layer));
  EDGETWIN_TRY_ASSIGN(const auto mean, values(state, bn + "running_mean", channels, 0, layer));
  EDGETWIN_TRY_ASSIGN(const auto variance, values(state, bn + "running_var", channels, 1, layer));
  EDGETWIN_TRY_ASSIGN(const auto gamma, values(state, bn + "weight", channels, 1, layer));
  EDGETWIN_TRY_ASSIGN(const auto beta, values(state, bn + "bias", channels, 0, layer));
  const bool scaled = state.find(bn + "weight") != nullptr;
  const size_t each = weights.size() / channels;
  for (size_t c = 0; c < channels; ++c) {
    const float deviation = std::sqrt(variance[c] + epsilon);
    const float g = scaled ? kQuarter * gamma[c] : 1.0F;
    for (size_t i = 0; i < each; ++i) weights[c * each + i] = weights[c * each + i] * g / deviation;
    bias[c] = (bias[c] - mean[c]) * g / deviation + kQuarter * beta[c];
  }
  state.set(op + ".weight", shape, weights);
  state.set(op + ".bias", {static_cast<int64_t>(channels)}, bias);
  for (const char* part :
       {"running_mean", "running_var", "weight", "bias", "num_batches_tracked"}) {
    state.remove(bn + part);
  }
  return Ok{};
}

}  // namespace

Result<std::vector<std::string>> fold_batch_norm(torch::Checkpoint& checkpoint, double epsilon) {
  constexpr std::string_view kMark = ".bn.running_mean";
  EDGETWIN_TRY_ASSIGN(State state, State::of(checkpoint));
  std::vector<std::string> layers;
  for (const std::string& name : state.names()) {
    if (name.ends_with(kMark)) layers.push_back(name.substr(0, name.size() - kMark.size()));
  }
  for (const std::string& layer : layers) {
    if (auto status = fold_layer(state, layer, static_cast<float>(epsilon)); !status.ok()) {
      return std::move(status).error().in_file(checkpoint.file());
    }
  }
  if (!layers.empty()) state.store(checkpoint);
  return layers;
}

}  // namespace edgetwin::max78
