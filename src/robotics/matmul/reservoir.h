// A recurrent network with fixed random weights (echo state network), of which only a linear
// readout is learnt.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "robotics/matmul/matmul_engine.h"

namespace edgetwin::robotics {

enum class ReservoirActivation : uint8_t { tanh, relu, identity };
// Error: module_input for another word.
Result<ReservoirActivation> reservoir_activation(const std::string& word);

struct ReservoirOptions {
  double spectral_radius = 0.95;
  double input_scaling = 0.1;
  double leak_rate = 1.0;
  std::string activation = "tanh";
  uint64_t seed = 0;
};

class ReservoirComputer {
 public:
  // The second engine, if there is one, computes the readout; it is neither opened nor closed here.
  // Errors: module_input for options that cannot be, those of MatMulEngine.
  static Result<ReservoirComputer> create(std::shared_ptr<MatMulEngine> engine, int input_dim,
                                          const ReservoirOptions& options = {},
                                          std::shared_ptr<MatMulEngine> readout_engine = nullptr);
  static Result<ReservoirComputer> from_template(int reservoir_dim, int input_dim,
                                                 const ReservoirOptions& options = {},
                                                 const TwinOptions& twin = {});

  Status open();  // uploads the reservoir's weights
  void close() { engine_->close(); }
  bool is_open() const { return engine_->is_open(); }

  size_t reservoir_dim() const { return engine_->matrix_size(); }
  size_t input_dim() const { return input_dim_; }
  const ReservoirOptions& options() const { return options_; }
  const Matrix& reservoir_weights() const { return w_res_; }
  const Matrix& input_weights() const { return w_in_; }
  const std::optional<Matrix>& readout() const { return w_out_; }
  const std::vector<float>& state() const { return state_; }
  MatMulEngine& engine() { return *engine_; }

  // state = (1 - leak) * state + leak * f(W state + W_in u). Errors: module_input, module_closed.
  Result<std::vector<float>> step(std::span<const float> u);
  // One row per row of `u`: [T][reservoir_dim].
  Result<Matrix> run(const Matrix& u);
  void reset_state() { state_.assign(reservoir_dim(), 0.0F); }

  // Learns the readout by ridge regression from the states that `u` leaves. Errors: module_input
  // for different lengths or a warm-up that leaves nothing.
  Status fit(const Matrix& u, const Matrix& y, size_t warmup = 0, double ridge_alpha = 1e-6);
  // Error: module_state before fit().
  Result<Matrix> predict(const Matrix& u);
  // The readout of the present state, for inputs that come one by one. Error: as predict().
  Result<std::vector<float>> predict_next();

 private:
  ReservoirComputer() = default;
  Status check_fitted() const;
  Result<Matrix> read_out(const Matrix& states);

  std::shared_ptr<MatMulEngine> engine_, readout_engine_;
  size_t input_dim_ = 0;
  ReservoirOptions options_;
  ReservoirActivation activation_ = ReservoirActivation::tanh;
  Matrix w_res_, w_in_;
  std::optional<Matrix> w_out_;
  std::vector<float> state_;
};

// Largest magnitude of the eigenvalues.
double spectral_radius(const Matrix& square);

}  // namespace edgetwin::robotics
