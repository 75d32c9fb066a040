#include "robotics/matmul/reservoir.h"

#include <algorithm>
#include <cmath>

#include "robotics/matmul/linear.h"
#include "robotics/matmul/random.h"

namespace edgetwin::robotics {
namespace {

Error bad_reservoir(std::string message) {
  return Error(ErrorCode::module_input, std::move(message));
}

Status check(int input_dim, const ReservoirOptions& o) {
  const auto positive = [](double v) { return v > 0.0 && std::isfinite(v); };
  if (!positive(o.spectral_radius)) {
    return bad_reservoir("a spectral radius of " + std::to_string(o.spectral_radius) +
                         "; it must be above 0");
  }
  if (!positive(o.input_scaling)) {
    return bad_reservoir("an input scaling of " + std::to_string(o.input_scaling) +
                         "; it must be above 0");
  }
  if (!positive(o.leak_rate) || o.leak_rate > 1.0) {
    return bad_reservoir("a leak rate of " + std::to_string(o.leak_rate) +
                         "; above 0 and at most 1 is possible");
  }
  if (input_dim < 1)
    return bad_reservoir(std::to_string(input_dim) + " inputs; at least one is needed");
  return Ok{};
}

float activate(ReservoirActivation kind, float v) {
  switch (kind) {
    case ReservoirActivation::tanh:
      return std::tanh(v);
    case ReservoirActivation::relu:
      return std::max(v, 0.0F);
    case ReservoirActivation::identity:
      break;
  }
  return v;
}

// Normal numbers, scaled to the radius and limited to what the engine can hold.
Matrix reservoir_matrix(size_t n, const ReservoirOptions& o, const MatMulEngine& engine) {
  Random random(o.seed);
  Matrix w{n, n, std::vector<float>(n * n)};
  for (float& v : w.values) v = static_cast<float>(random.normal());
  const double radius = spectral_radius(w);
  const auto factor = static_cast<float>(radius > 0.0 ? o.spectral_radius / radius : 0.0);
  const auto range = engine.weight_range();
  for (float& v : w.values) {
    v *= factor;
    if (range) {
      v = std::clamp(v, static_cast<float>(range->first), static_cast<float>(range->second));
    }
  }
  return w;
}

}  // namespace

Result<ReservoirActivation> reservoir_activation(const std::string& word) {
  if (word == "tanh") return ReservoirActivation::tanh;
  if (word == "relu") return ReservoirActivation::relu;
  if (word == "identity") return ReservoirActivation::identity;
  return bad_reservoir("there is no activation '" + word +
                       "'; tanh, relu and identity are possible");
}

Result<ReservoirComputer> ReservoirComputer::create(std::shared_ptr<MatMulEngine> engine,
                                                    int input_dim, const ReservoirOptions& options,
                                                    std::shared_ptr<MatMulEngine> readout_engine) {
  EDGETWIN_TRY(check(input_dim, options));
  if (!engine->is_square()) return bad_reservoir("the engine's matrix is not square");
  ReservoirComputer r;
  EDGETWIN_TRY_ASSIGN(r.activation_, reservoir_activation(options.activation));
  r.engine_ = std::move(engine);
  r.readout_engine_ = std::move(readout_engine);
  r.input_dim_ = static_cast<size_t>(input_dim);
  r.options_ = options;
  const size_t n = r.reservoir_dim();
  r.w_res_ = reservoir_matrix(n, options, *r.engine_);
  Random random(options.seed + 1);
  r.w_in_ = Matrix{n, r.input_dim_, std::vector<float>(n * r.input_dim_)};
  for (float& v : r.w_in_.values) {
    v = static_cast<float>((2.0 * random.uniform() - 1.0) * options.input_scaling);
  }
  r.reset_state();
  if (r.is_open()) EDGETWIN_TRY(r.engine_->set_weights(r.w_res_));
  return r;
}

Result<ReservoirComputer> ReservoirComputer::from_template(int reservoir_dim, int input_dim,
                                                           const ReservoirOptions& options,
                                                           const TwinOptions& twin) {
  EDGETWIN_TRY(check(input_dim, options));
  EDGETWIN_TRY_ASSIGN(MatMulEngine engine, MatMulEngine::from_template(reservoir_dim, twin));
  return create(std::make_shared<MatMulEngine>(std::move(engine)), input_dim, options);
}

Status ReservoirComputer::open() {
  EDGETWIN_TRY(engine_->open());
  return engine_->set_weights(w_res_);
}

Result<std::vector<float>> ReservoirComputer::step(std::span<const float> u) {
  if (u.size() != input_dim_) {
    return bad_reservoir(std::to_string(u.size()) + " inputs, the reservoir has " +
                         std::to_string(input_dim_));
  }
  if (!std::all_of(u.begin(), u.end(), [](float v) { return std::isfinite(v); })) {
    return bad_reservoir("an input is not a finite number");
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<float> inner, engine_->matmul(state_));
  const auto leak = static_cast<float>(options_.leak_rate);
  for (size_t i = 0; i < state_.size(); ++i) {
    float outer = 0.0F;
    for (size_t k = 0; k < input_dim_; ++k) outer += w_in_.at(i, k) * u[k];
    state_[i] = (1.0F - leak) * state_[i] + leak * activate(activation_, inner[i] + outer);
  }
  return state_;
}

Result<Matrix> ReservoirComputer::run(const Matrix& u) {
  if (u.columns != input_dim_) {
    return bad_reservoir("inputs of " + std::to_string(u.columns) + " columns, the reservoir has " +
                         std::to_string(input_dim_));
  }
  Matrix states{u.rows, reservoir_dim(), {}};
  states.values.reserve(u.rows * reservoir_dim());
  for (size_t t = 0; t < u.rows; ++t) {
    EDGETWIN_TRY_ASSIGN(const std::vector<float> s,
                        step(std::span(u.values).subspan(t * u.columns, u.columns)));
    states.values.insert(states.values.end(), s.begin(), s.end());
  }
  return states;
}

Status ReservoirComputer::fit(const Matrix& u, const Matrix& y, size_t warmup, double ridge_alpha) {
  if (u.rows != y.rows) {
    return bad_reservoir(std::to_string(u.rows) + " inputs and " + std::to_string(y.rows) +
                         " targets");
  }
  if (warmup >= u.rows) {
    return bad_reservoir("a warm-up of " + std::to_string(warmup) + " steps leaves nothing of " +
                         std::to_string(u.rows));
  }
  if (!(ridge_alpha >= 0.0) || !std::isfinite(ridge_alpha)) {
    return bad_reservoir("the ridge must be a number of at least 0");
  }
  reset_state();
  EDGETWIN_TRY_ASSIGN(const Matrix states, run(u));
  w_out_ = ridge_regression(states, y, warmup, ridge_alpha);
  if (readout_engine_ == nullptr) return Ok{};
  const size_t n = readout_engine_->matrix_size();
  if (w_out_->rows > n || w_out_->columns > n) {
    return bad_reservoir("a readout of " + std::to_string(w_out_->rows) + " x " +
                         std::to_string(w_out_->columns) +
                         " does not fit the second engine's matrix of " + std::to_string(n));
  }
  Matrix padded{n, n, std::vector<float>(n * n, 0.0F)};
  for (size_t r = 0; r < w_out_->rows; ++r) {
    for (size_t c = 0; c < w_out_->columns; ++c) padded.at(r, c) = w_out_->at(r, c);
  }
  return readout_engine_->set_weights(padded);
}

Result<Matrix> ReservoirComputer::read_out(const Matrix& states) {
  Matrix y{states.rows, w_out_->rows, std::vector<float>(states.rows * w_out_->rows)};
  for (size_t t = 0; t < states.rows; ++t) {
    const auto state = std::span(states.values).subspan(t * states.columns, states.columns);
    if (readout_engine_ != nullptr) {
      std::vector<float> padded(state.begin(), state.end());
      padded.resize(readout_engine_->matrix_size(), 0.0F);
      EDGETWIN_TRY_ASSIGN(const std::vector<float> all, readout_engine_->matmul(padded));
      for (size_t k = 0; k < y.columns; ++k) y.at(t, k) = all[k];
      continue;
    }
    for (size_t k = 0; k < y.columns; ++k) {
      double sum = 0.0;
      for (size_t i = 0; i < state.size(); ++i)
        sum += static_cast<double>(w_out_->at(k, i)) * state[i];
      y.at(t, k) = static_cast<float>(sum);
    }
  }
  return y;
}

Status ReservoirComputer::check_fitted() const {
  if (w_out_) return Ok{};
  return Error(ErrorCode::module_state, "the readout has not been learnt")
      .with_hint("Call fit() first.");
}

Result<std::vector<float>> ReservoirComputer::predict_next() {
  EDGETWIN_TRY(check_fitted());
  EDGETWIN_TRY_ASSIGN(Matrix y, read_out({1, reservoir_dim(), state_}));
  return std::move(y.values);
}

Result<Matrix> ReservoirComputer::predict(const Matrix& u) {
  EDGETWIN_TRY(check_fitted());
  reset_state();
  EDGETWIN_TRY_ASSIGN(const Matrix states, run(u));
  return read_out(states);
}

}  // namespace edgetwin::robotics
