#include "robotics/matmul/matmul_engine.h"

#include <algorithm>
#include <cmath>

#include "robotics/blob.h"
#include "robotics/quantize.h"

namespace edgetwin::robotics {
namespace {

Error not_a_matrix(std::string message) {
  return Error(ErrorCode::module_model, std::move(message));
}
Error bad_weights(std::string message) {
  return Error(ErrorCode::module_weights, std::move(message)).in_field("weights");
}

std::string times(size_t rows, size_t columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

Status check_finite(const Matrix& w) {
  const auto bad = std::ranges::find_if(w.values, [](float v) { return !std::isfinite(v); });
  if (bad == w.values.end()) return Ok{};
  const auto at = static_cast<size_t>(bad - w.values.begin());
  return bad_weights("the weight of row " + std::to_string(at / w.columns) + ", column " +
                     std::to_string(at % w.columns) + " is not finite");
}

// Of each row, so that its largest value is 127.
std::vector<float> own_scales(const Matrix& w) {
  constexpr float kMostInt8 = 127.0F;
  std::vector<float> scales(w.rows);
  for (size_t r = 0; r < w.rows; ++r) {
    float largest = 0.0F;
    for (size_t c = 0; c < w.columns; ++c) largest = std::max(largest, std::abs(w.at(r, c)));
    scales[r] = std::max(largest / kMostInt8, kLeastScale);
  }
  return scales;
}

}  // namespace

MatMulEngine::MatMulEngine(std::shared_ptr<Engine> engine, std::optional<Sidecar> sidecar)
    : Module(std::move(engine), sidecar ? *sidecar : Sidecar()), has_sidecar_(sidecar) {}

Result<MatMulEngine> MatMulEngine::create(std::shared_ptr<Engine> engine,
                                          std::optional<Sidecar> sidecar) {
  if (!engine->exchangeable()) {
    return not_a_matrix(
        "the model was compiled without cached parameters; its weights cannot be exchanged");
  }
  MatMulEngine m(std::move(engine), std::move(sidecar));
  m.columns_ = m.input().bytes;
  m.rows_ = m.output_bytes();
  const auto named = m.sidecar_.integer("matrix_size");
  const auto size = static_cast<size_t>(named ? std::max(*named, 0) : 0);
  if (m.columns_ == 0 || m.engine_->weight_count() != m.rows_ * m.columns_ ||
      (named && (m.rows_ != size || m.columns_ != size))) {
    return not_a_matrix("the model takes " + to_string(m.input_shape()) + ", gives " +
                        std::to_string(m.rows_) + " bytes and has " +
                        std::to_string(m.engine_->weight_count()) + " weights; a " +
                        (named ? "square matrix of " + std::to_string(size) + " rows"
                               : "matrix of " + times(m.rows_, m.columns_)) +
                        " is needed");
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
  EDGETWIN_TRY_ASSIGN(const TwinModel loaded, twin_model(model));
  auto engine = twin_engine(loaded.model, options);
  if (!engine.ok()) return std::move(engine).error().in_file(loaded.file);
  EDGETWIN_TRY_ASSIGN(Sidecar beside, Sidecar::beside(model, sidecar));
  auto overhead = dense_overhead_of(loaded.model.main());
  EDGETWIN_TRY_ASSIGN(MatMulEngine m, create(std::move(*engine), std::move(beside)));
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

std::pair<float, float> MatMulEngine::weight_range_of(size_t row) const {
  const float scale = weight_scales()[row];
  return {-128.0F * scale, 127.0F * scale};
}

size_t MatMulEngine::param_size() const {
  const size_t raw = engine_->weights()->raw_bytes();
  return raw > 0 ? raw : blob_bytes(columns_);
}

Result<std::vector<float>> MatMulEngine::kept_scales() const {
  if (!has_sidecar_) {
    const auto scales = weight_scales();
    return std::vector<float>(scales.begin(), scales.end());
  }
  const auto scale = weight_scale();
  if (scale) return std::vector<float>(rows_, static_cast<float>(*scale));
  return not_a_matrix("the side-car file does not say the scale of the weights, weight_scale");
}

Result<std::vector<int8_t>> MatMulEngine::quantize_rows(const Matrix& w,
                                                        std::span<const float> scales) const {
  std::vector<int8_t> q(w.values.size());
  const std::span<const float> from(w.values);
  const std::span<int8_t> to(q);
  for (size_t r = 0; r < rows_; ++r) {
    const Status done = quantize_int8(from.subspan(r * columns_, columns_), scales[r],
                                      weight_zero_point(), to.subspan(r * columns_, columns_));
    if (done.ok()) continue;
    EDGETWIN_TRY(check_finite(w));
    return bad_weights(done.error().message);
  }
  return q;
}

Result<std::vector<int8_t>> MatMulEngine::quantize_weights(const Matrix& w) const {
  if (w.rows != rows_ || w.columns != columns_ || w.values.size() != rows_ * columns_) {
    return Error(ErrorCode::module_weights, "the weights are " + times(w.rows, w.columns) +
                                                ", the model's matrix is " +
                                                times(rows_, columns_));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<float> scales, kept_scales());
  return quantize_rows(w, scales);
}

Status MatMulEngine::set_weights(const Matrix& w, Scales scales) {
  if (scales == Scales::kept) {
    EDGETWIN_TRY_ASSIGN(const std::vector<int8_t> q, quantize_weights(w));
    return set_weights_int8(q);
  }
  if (w.rows != rows_ || w.columns != columns_ || w.values.size() != rows_ * columns_) {
    return quantize_weights(w).error();
  }
  EDGETWIN_TRY(check_open());
  if (weight_zero_point() != 0) return bad_weights("scales of rows go with a zero point of 0");
  EDGETWIN_TRY(check_finite(w));
  const std::vector<float> own = own_scales(w);
  EDGETWIN_TRY_ASSIGN(const std::vector<int8_t> q, quantize_rows(w, own));
  EDGETWIN_TRY(engine_->weights()->set(q, own));
  loaded_ = true;
  return Ok{};
}

Status MatMulEngine::set_weights_int8(std::span<const int8_t> weights) {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY(engine_->set_weights(weights));
  loaded_ = true;
  return Ok{};
}

Status MatMulEngine::set_weights_raw(ByteSpan blob) {
  EDGETWIN_TRY(check_open());
  if (engine_->weights()->raw_bytes() > 0) {
    EDGETWIN_TRY(engine_->weights()->set_raw(blob));
    loaded_ = true;
    return Ok{};
  }
  if (!is_square()) {
    return bad_weights("the twin reads blobs of square matrices; this one is " +
                       times(rows_, columns_));
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<int8_t> weights, dense_weights(rows_, blob));
  return set_weights_int8(weights);
}

Status MatMulEngine::reset_weights() {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY(engine_->reset_weights());
  loaded_ = true;
  return Ok{};
}

Status MatMulEngine::upload() {
  EDGETWIN_TRY(check_open());
  return engine_->weights()->upload();
}

Result<Bytes> MatMulEngine::blob_of(std::span<const int8_t> weights) const {
  if (overhead_.empty()) {
    return not_a_matrix("neither the side-car file nor the model says the scales of the blob");
  }
  return dense_blob(rows_, weights, overhead_);
}

Status MatMulEngine::check_loaded() const {
  EDGETWIN_TRY(check_open());
  if (loaded_) return Ok{};
  return Error(ErrorCode::module_state, "no weights were loaded since the module was opened")
      .with_hint("Call set_weights() or reset_weights() first.");
}

Result<Bytes> MatMulEngine::quantize_input(std::span<const float> x) const {
  if (x.size() != columns_) {
    return Error(ErrorCode::module_input, std::to_string(x.size()) + " values, the matrix has " +
                                              std::to_string(columns_) + " columns");
  }
  return quantize_uint8(x, input().scale, input().byte_zero_point());
}

std::vector<float> MatMulEngine::real(ByteSpan y) const {
  return dequantize(y, output().scale, output().byte_zero_point());
}

Result<Bytes> MatMulEngine::matmul_raw(ByteSpan x) {
  EDGETWIN_TRY(check_loaded());
  return execute_raw(x);
}

Result<std::vector<float>> MatMulEngine::matmul(std::span<const float> x) {
  EDGETWIN_TRY_ASSIGN(const Bytes in, quantize_input(x));
  EDGETWIN_TRY_ASSIGN(const Bytes raw, matmul_raw(in));
  return real(raw);
}

Result<std::vector<std::vector<float>>> MatMulEngine::matmul_batch(
    std::span<const std::vector<float>> vectors) {
  EDGETWIN_TRY(check_loaded());
  std::vector<Bytes> inputs;
  for (const std::vector<float>& x : vectors) {
    EDGETWIN_TRY_ASSIGN(Bytes in, quantize_input(x));
    inputs.push_back(std::move(in));
  }
  EDGETWIN_TRY_ASSIGN(const auto outputs, engine_->run_batch(inputs));
  std::vector<std::vector<float>> results;
  for (const std::vector<Bytes>& y : outputs) results.push_back(real(y.front()));
  return results;
}

}  // namespace edgetwin::robotics
