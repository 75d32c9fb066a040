// SGD with momentum and Adam. State is kept by the name of the parameter, so that it survives the
// start of quantization. Specification: training, 8.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

namespace edgetwin::train {

enum class OptimizerKind : unsigned char { sgd, adam };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::sgd;
  double rate = 0.1;
  double momentum = 0.9;  // of SGD
  double epsilon = 1e-8;  // of Adam; its betas are 0.9 and 0.999
  double weight_decay = 1e-4;
};

inline constexpr float kBeta1 = 0.9F, kBeta2 = 0.999F;

// Of one parameter. SGD has the momentum in `first`.
struct OptimizerState {
  std::vector<float> first, second;
  int64_t steps = 0;
};

class Optimizer {
 public:
  explicit Optimizer(OptimizerOptions options) : options_(options) {}

  const OptimizerOptions& options() const { return options_; }
  void set_rate(double rate) { options_.rate = rate; }
  std::map<std::string, OptimizerState>& states() { return states_; }
  const std::map<std::string, OptimizerState>& states() const { return states_; }

  // Changes `values` by one step. Weight decay is added to the gradient of every parameter.
  // Corrections of Adam are binary64, elements binary32.
  void step(const std::string& name, std::span<float> values, std::span<const float> gradient);

 private:
  void step_sgd(OptimizerState& state, std::span<float> values, std::span<const float> gradient);
  void step_adam(OptimizerState& state, std::span<float> values, std::span<const float> gradient);

  OptimizerOptions options_;
  std::map<std::string, OptimizerState> states_;
};

}  // namespace edgetwin::train
