#include "robotics/matmul/matmul_engine.h"

#include <algorithm>
#include <cmath>

#include "robotics/blob.h"
#include "robotics/quantize.h"

namespace edgetwin::robotics {

Result<MatMulEngine> MatMulEngine::create(std::shared_ptr<Engine> engine, Sidecar sidecar) {
  if (!engine->exchangeable()) {
    return Error(ErrorCode::module_model,
                 "the model was compiled without cached parameters; its weights cannot be "
                 "exchanged");
  }
  MatMulEngine m(std::move(engine), std::move(sidecar));
  const auto named = m.sidecar_.integer("matrix_size");
  m.n_ = static_cast<size_t>(named ? std::max(*named, 0) : m.input_shape().back(0));
  if (m.n_ == 0 || m.engine_->input().bytes != m.n_ || m.output_bytes() != m.n_ ||
      m.engine_->weight_count() != m.n_ * m.n_) {
    return Error(ErrorCode::module_model,
                 "the model takes " + to_string(m.input_shape()) + ", gives " +
                     std::to_string(m.output_bytes()) + " bytes and has " +
                     std::to_string(m.engine_->weight_count()) + " weights; a square matrix of " +
                     std::to_string(m.n_) + " rows is needed");
  }
  EDGETWIN_TRY_ASSIGN(std::optional<Bytes> overhead, m.sidecar_.bytes("param_overhead"));
  if (overhead) m.overhead_ = std::move(*overhead);
  return m;
}

Result<MatMulEngine> MatMulEngine::from_template(int n, const TwinOptions& options) {
  edgetpu::templates::Dense a;
  a.n = n;
  EDGETWIN_TRY_ASSIGN(Prepared p, on_twin(edgetpu::templates::build(a), options));
  return create(std::move(p.engine), std::move(p.sidecar));
}

Result<MatMulEngine> MatMulEngine::load(const std::filesystem::path& model,
                                        const std::filesystem::path& sidecar,
                                        const TwinOptions& options) {
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<TwinEngine> engine, TwinEngine::load(model, options));
  EDGETWIN_TRY_ASSIGN(Sidecar beside, Sidecar::beside(model, sidecar));
  auto overhead = dense_overhead_of(engine->graph());
  EDGETWIN_TRY_ASSIGN(MatMulEngine m, create(std::move(engine), std::move(beside)));
  if (m.overhead_.empty() && overhead.ok()) m.overhead_ = std::move(*overhead);
  return m;
}

Status MatMulEngine::open() {
  loaded_ = false;
  return engine_->open();
}

std::optional<std::pair<double, double>> MatMulEngine::weight_range() const {
  const auto scale = weight_scale();
  if (!scale) return std::nullopt;
  const int zero = weight_zero_point();
  return std::pair((-128 - zero) * *scale, (127 - zero) * *scale);
}

size_t MatMulEngine::param_size() const { return blob_bytes(n_); }

Result<std::vector<int8_t>> MatMulEngine::quantize_weights(const Matrix& w) const {
  if (w.rows != n_ || w.columns != n_ || w.values.size() != n_ * n_) {
    return Error(ErrorCode::module_weights,
                 "the weights are " + std::to_string(w.rows) + " x " + std::to_string(w.columns) +
                     ", the model's matrix is " + std::to_string(n_) + " x " + std::to_string(n_));
  }
  const auto scale = weight_scale();
  if (!scale) {
    return Error(ErrorCode::module_model,
                 "the side-car file does not say the scale of the weights, weight_scale");
  }
  auto q = quantize_int8(w.values, static_cast<float>(*scale), weight_zero_point());
  if (!q.ok()) return Error(ErrorCode::module_weights, q.error().message).in_field("weights");
  return q;
}

Status MatMulEngine::upload(std::span<const int8_t> weights) {
  EDGETWIN_TRY(engine_->set_weights(weights));
  loaded_ = true;
  return Ok{};
}

Status MatMulEngine::set_weights(const Matrix& w) {
  EDGETWIN_TRY_ASSIGN(const std::vector<int8_t> q, quantize_weights(w));
  EDGETWIN_TRY(check_open());
  return upload(q);
}

Status MatMulEngine::set_weights_raw(ByteSpan blob) {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY_ASSIGN(const std::vector<int8_t> weights, dense_weights(n_, blob));
  return upload(weights);
}

Status MatMulEngine::reset_weights() {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY(engine_->reset_weights());
  loaded_ = true;
  return Ok{};
}

Result<Bytes> MatMulEngine::blob_of(std::span<const int8_t> weights) const {
  if (overhead_.empty()) {
    return Error(ErrorCode::module_model,
                 "neither the side-car file nor the model says the scales of the blob");
  }
  return dense_blob(n_, weights, overhead_);
}

Result<Bytes> MatMulEngine::matmul_raw(ByteSpan x) {
  EDGETWIN_TRY(check_open());
  if (!loaded_) {
    return Error(ErrorCode::module_state, "no weights were loaded since the module was opened")
        .with_hint("Call set_weights() or reset_weights() first.");
  }
  return execute_raw(x);
}

Result<std::vector<float>> MatMulEngine::matmul(std::span<const float> x) {
  if (x.size() != n_) {
    return Error(ErrorCode::module_input, std::to_string(x.size()) + " values, the matrix has " +
                                              std::to_string(n_) + " columns");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes in, quantize_uint8(x, input().scale, input().zero_point));
  EDGETWIN_TRY_ASSIGN(const Bytes raw, matmul_raw(in));
  return dequantize(raw, output().scale, output().zero_point);
}

}  // namespace edgetwin::robotics
