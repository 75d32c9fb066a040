#include "train/optim/optimizer.h"

#include <cmath>

namespace edgetwin::train {
namespace {

// base^steps in binary64: repeated squaring, the same on every machine.
double whole_power(double base, int64_t steps) {
  double result = 1;
  for (; steps > 0; steps /= 2) {
    if (steps % 2 != 0) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

void Optimizer::step_sgd(OptimizerState& state, std::span<float> values,
                         std::span<const float> gradient) {
  const auto rate = static_cast<float>(options_.rate);
  const auto momentum = static_cast<float>(options_.momentum);
  const auto decay = static_cast<float>(options_.weight_decay);
  const bool first = state.first.size() != values.size();
  if (first) state.first.assign(values.size(), 0.0F);
  for (size_t i = 0; i < values.size(); ++i) {
    const float g = gradient[i] + decay * values[i];
    state.first[i] = first ? g : momentum * state.first[i] + g;
    values[i] -= rate * state.first[i];
  }
}

void Optimizer::step_adam(OptimizerState& state, std::span<float> values,
                          std::span<const float> gradient) {
  constexpr double kBeta1Exact = 0.9, kBeta2Exact = 0.999;
  const auto decay = static_cast<float>(options_.weight_decay);
  const auto epsilon = static_cast<float>(options_.epsilon);
  if (state.first.size() != values.size()) {
    state.first.assign(values.size(), 0.0F);
    state.second.assign(values.size(), 0.0F);
  }
  ++state.steps;
  const auto rate = static_cast<float>(options_.rate / (1 - whole_power(kBeta1Exact, state.steps)));
  const auto root = static_cast<float>(std::sqrt(1 - whole_power(kBeta2Exact, state.steps)));
  constexpr auto kRest1 = static_cast<float>(1 - kBeta1Exact);
  constexpr auto kRest2 = static_cast<float>(1 - kBeta2Exact);
  for (size_t i = 0; i < values.size(); ++i) {
    const float g = gradient[i] + decay * values[i];
    state.first[i] = kBeta1 * state.first[i] + kRest1 * g;
    state.second[i] = kBeta2 * state.second[i] + kRest2 * g * g;
    values[i] -= rate * (state.first[i] / (std::sqrt(state.second[i]) / root + epsilon));
  }
}

void Optimizer::step(const std::string& name, std::span<float> values,
                     std::span<const float> gradient) {
  OptimizerState& state = states_[name];
  if (options_.kind == OptimizerKind::sgd) {
    step_sgd(state, values, gradient);
  } else {
    step_adam(state, values, gradient);
  }
}

}  // namespace edgetwin::train
