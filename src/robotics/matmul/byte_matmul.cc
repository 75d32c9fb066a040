#include "robotics/matmul/byte_matmul.h"

#include <algorithm>
#include <optional>

namespace edgetwin::robotics {
namespace {

constexpr int kMaxWeightDigit = 7;  // weights are signed bytes
constexpr int kMaxInputDigit = 8;
constexpr int64_t kMaxByte = 255;

int64_t largest_sum(int n, int weight_bits, int input_bits) {
  return ((int64_t{1} << weight_bits) - 1) * ((int64_t{1} << input_bits) - 1) * n;
}

std::optional<DigitSplit> best_split(int n, int weight_bits, int input_bits) {
  std::optional<DigitSplit> best;
  for (int w = 1; w <= std::min(kMaxWeightDigit, weight_bits); ++w) {
    for (int x = 1; x <= std::min(kMaxInputDigit, input_bits); ++x) {
      if (largest_sum(n, w, x) > kMaxByte) continue;
      const int products = ((weight_bits + w - 1) / w) * ((input_bits + x - 1) / x);
      if (!best || products < best->products) best = {w, x, products, largest_sum(n, w, x)};
    }
  }
  return best;
}

// y = W x in integers: every scale is 1, so that a sum up to 255 leaves as it is.
Model unit_model(int n) {
  Graph g;
  g.name = "main";
  const auto add = [&g](const char* label, DType type, const Shape& shape, int64_t zero) {
    Value v;
    v.name = label;
    v.dtype = type;
    v.shape = shape;
    v.quant = Quant::affine(1.0F, zero);
    g.values.push_back(std::move(v));
    return static_cast<ValueId>(g.values.size() - 1);
  };
  const ValueId input = add("input", DType::uint8, {1, n}, 0);
  const ValueId weights = add("weights", DType::int8, {n, n}, 0);
  const ValueId x = add("digits", DType::int8, {1, n}, -128);
  const ValueId y = add("sums", DType::int8, {1, n}, -128);
  const ValueId output = add("output", DType::uint8, {1, n}, 0);
  g.value(weights).constant = std::make_shared<const Bytes>(
      Bytes(static_cast<size_t>(n) * static_cast<size_t>(n), std::byte{0}));
  const auto op = [&g](OpKind kind, Attrs attrs, std::vector<ValueId> in, ValueId out) {
    Op o;
    o.kind = kind;
    o.attrs = std::move(attrs);
    o.inputs = std::move(in);
    o.outputs = {out};
    g.ops.push_back(std::move(o));
  };
  op(OpKind::quantize, NoAttrs{}, {input}, x);
  op(OpKind::fully_connected, FullyConnectedAttrs{}, {x, weights, kAbsent}, y);
  op(OpKind::quantize, NoAttrs{}, {y}, output);
  g.inputs = {input};
  g.outputs = {output};
  Model m;
  m.format = "tflite";
  m.graphs.push_back(std::move(g));
  return m;
}

Status check_range(std::span<const uint32_t> values, int bits, ErrorCode code, const char* what) {
  for (const uint32_t v : values) {
    if (v < (uint64_t{1} << bits)) continue;
    return Error(code, std::string(what) + " of " + std::to_string(v) + " has more than " +
                           std::to_string(bits) + " bits");
  }
  return Ok{};
}

}  // namespace

Result<DigitSplit> digit_split(int n, int weight_bits, int input_bits) {
  if (n < 1 || weight_bits < 1 || weight_bits > 16 || input_bits < 1 || input_bits > 16) {
    return Error(ErrorCode::module_weights, "numbers of " + std::to_string(weight_bits) + " and " +
                                                std::to_string(input_bits) +
                                                " bits; 1 to 16 are possible");
  }
  const auto split = best_split(n, weight_bits, input_bits);
  if (split) return *split;
  return Error(ErrorCode::module_weights,
               "a matrix of " + std::to_string(n) + " columns is not exact in any digits")
      .detail("digits of one bit: sums up to " + std::to_string(n) + " x 1 x 1; a byte holds 255");
}

std::vector<ExactRange> exact_ranges(int weight_bits, int input_bits) {
  std::vector<ExactRange> rows;
  for (int n = 1; n <= kMaxByte; ++n) {
    const auto split = best_split(n, weight_bits, input_bits);
    if (!split) break;
    const bool same = !rows.empty() && rows.back().split.weight_bits == split->weight_bits &&
                      rows.back().split.input_bits == split->input_bits;
    if (same) {
      rows.back() = {n, *split};
    } else {
      rows.push_back({n, *split});
    }
  }
  return rows;
}

Result<std::vector<uint64_t>> recombine_bytes(std::span<const uint16_t> matrix, size_t rows,
                                              std::span<const uint16_t> x) {
  const size_t n = x.size();
  if (n > kMaxByteColumns || matrix.size() != rows * n) {
    return Error(ErrorCode::module_weights, "a matrix of " + std::to_string(matrix.size()) +
                                                " numbers for " + std::to_string(rows) +
                                                " rows of " + std::to_string(n) +
                                                "; sums of bytes stay exact up to " +
                                                std::to_string(kMaxByteColumns) + " columns");
  }
  std::vector<uint64_t> y(rows);
  for (size_t r = 0; r < rows; ++r) {
    uint32_t hh = 0, hl = 0, lh = 0, ll = 0;
    for (size_t c = 0; c < n; ++c) {
      const uint32_t wh = matrix[r * n + c] >> 8, wl = matrix[r * n + c] & 255U;
      const uint32_t xh = x[c] >> 8, xl = x[c] & 255U;
      hh += wh * xh;
      hl += wh * xl;
      lh += wl * xh;
      ll += wl * xl;
    }
    y[r] = (uint64_t{hh} << 16) + ((uint64_t{hl} + lh) << 8) + ll;
  }
  return y;
}

Result<ByteMatMul> ByteMatMul::create(int n, int weight_bits, int input_bits,
                                      const TwinOptions& options) {
  ByteMatMul m;
  EDGETWIN_TRY_ASSIGN(m.split_, digit_split(n, weight_bits, input_bits));
  EDGETWIN_TRY_ASSIGN(m.engine_, twin_engine(unit_model(n), options));
  EDGETWIN_TRY(m.engine_->open());
  m.n_ = static_cast<size_t>(n);
  m.weight_bits_ = weight_bits;
  m.input_bits_ = input_bits;
  return m;
}

Result<std::vector<uint64_t>> ByteMatMul::multiply(std::span<const uint32_t> matrix,
                                                   std::span<const uint32_t> x) {
  if (matrix.size() != n_ * n_ || x.size() != n_) {
    return Error(ErrorCode::module_input,
                 std::to_string(matrix.size()) + " and " + std::to_string(x.size()) + " numbers; " +
                     std::to_string(n_ * n_) + " and " + std::to_string(n_) + " are needed");
  }
  EDGETWIN_TRY(check_range(matrix, weight_bits_, ErrorCode::module_weights, "a weight"));
  EDGETWIN_TRY(check_range(x, input_bits_, ErrorCode::module_input, "an input"));
  std::vector<uint64_t> y(n_, 0);
  const uint32_t weight_mask = (1U << split_.weight_bits) - 1;
  const uint32_t input_mask = (1U << split_.input_bits) - 1;
  std::vector<int8_t> weights(matrix.size());
  Bytes digits(n_);
  for (int w = 0; w < weight_bits_; w += split_.weight_bits) {
    std::transform(matrix.begin(), matrix.end(), weights.begin(),
                   [&](uint32_t v) { return static_cast<int8_t>(v >> w & weight_mask); });
    EDGETWIN_TRY(engine_->set_weights(weights));
    for (int i = 0; i < input_bits_; i += split_.input_bits) {
      std::transform(x.begin(), x.end(), digits.begin(),
                     [&](uint32_t v) { return static_cast<std::byte>(v >> i & input_mask); });
      EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> sums, engine_->run(digits));
      for (size_t r = 0; r < n_; ++r) y[r] += static_cast<uint64_t>(sums[0][r]) << (w + i);
    }
  }
  return y;
}

}  // namespace edgetwin::robotics
