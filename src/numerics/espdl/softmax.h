// Softmax, LogSoftmax, and the normalizations. Source: specification of the runtime, operators 4.2
// and 10. Float results depend on the C library's expf in their last bit.
#pragma once

#include <array>
#include <vector>

#include "numerics/espdl/common.h"
#include "numerics/espdl/reduce.h"

namespace edgetwin::numerics::espdl {

// int8: exponentials from a table, the maximum is not subtracted: large inputs overflow to
// infinity, as on the chip.
struct Softmax8 {
  using In = int8_t;
  using Out = float;
  std::array<float, 256> table{};
  float scale_in = 1.0F;
  bool logarithm = false;

  static Result<Softmax8> make(const SoftmaxSpec& spec) {
    EDGETWIN_TRY(check_exponent(spec.in, "the input"));
    Softmax8 rule;
    rule.scale_in = scale(exponent(spec.in));
    rule.logarithm = spec.logarithm;
    for (int i = 0; i < 256; ++i) {
      rule.table[static_cast<size_t>(i)] = std::exp(static_cast<float>(i - 128) * rule.scale_in);
    }
    return rule;
  }
  void row(const In* x, int64_t n, Out* y) const {
    float sum = 0.0F;
    for (int64_t i = 0; i < n; ++i) sum += y[i] = table[static_cast<size_t>(x[i] + 128)];
    const float log_sum = logarithm ? std::log(sum) : 0.0F;
    for (int64_t i = 0; i < n; ++i) {
      y[i] = logarithm ? static_cast<float>(x[i]) * scale_in - log_sum : y[i] / sum;
    }
  }
};

template <class T>
struct Softmax {
  using In = T;
  using Out = float;
  float scale_in = 1.0F;
  bool logarithm = false;

  static Result<Softmax> make(const SoftmaxSpec& spec) {
    Softmax rule;
    if constexpr (!std::is_same_v<T, float>) {
      EDGETWIN_TRY(check_exponent(spec.in, "the input"));
      rule.scale_in = scale(exponent(spec.in));
    }
    rule.logarithm = spec.logarithm;
    return rule;
  }
  void row(const In* x, int64_t n, Out* y) const {
    float largest = -std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < n; ++i)
      largest = std::max(largest, static_cast<float>(x[i]) * scale_in);
    float sum = 0.0F;
    for (int64_t i = 0; i < n; ++i) {
      const float shifted = static_cast<float>(x[i]) * scale_in - largest;
      const float e = std::exp(shifted);
      sum += e;
      y[i] = logarithm ? shifted : e;
    }
    const float log_sum = logarithm ? std::log(sum) : 0.0F;
    for (int64_t i = 0; i < n; ++i) y[i] = logarithm ? y[i] - log_sum : y[i] / sum;
  }
};

// What a normalization knows; gamma, beta and weight are absent where empty.
struct NormSpec {
  Quant in, out, gamma_quant, beta_quant;
  float epsilon = 1e-5F;
  int p = 2;
  bool last_axis = true;  // LpNormalization groups its factors by it
};

template <class T, class Unit>
struct LayerNorm {
  float si = 1.0F, so = 1.0F, epsilon = 1e-5F;
  std::vector<float> gamma, beta;  // in real numbers; empty: none

  void row(const T* x, int64_t n, T* y) const {
    int32_t sum = 0;
    for (int64_t j = 0; j < n; ++j) sum = wrapping_add(sum, x[j]);
    const auto m = static_cast<float>(static_cast<double>(sum) / static_cast<double>(n));
    float v = 0.0F;
    for (int64_t j = 0; j < n; ++j) {
      const float d = static_cast<float>(x[j]) - m;
      v += d * d;
    }
    const float mr = m * si;
    v = v * (si * si) / static_cast<float>(n);
    const float inv = 1.0F / newton_sqrt(v + epsilon);
    for (int64_t j = 0; j < n; ++j) {
      const auto k = static_cast<size_t>(j);
      float r = (static_cast<float>(x[j]) * si - mr) * inv;
      if (!gamma.empty()) r = r * gamma[k];
      if (!beta.empty()) r = r + beta[k];
      y[j] = round_to<T, Unit>(r * so);
    }
  }
};

template <class T, class Unit>
struct RmsNorm {
  float si = 1.0F, so = 1.0F, epsilon = 1e-5F;
  std::vector<float> weight;  // empty: none

  void row(const T* x, int64_t n, T* y) const {
    int64_t q = 0;
    for (int64_t j = 0; j < n; ++j) q += int64_t{x[j]} * x[j];
    if constexpr (sizeof(T) == 1) q = static_cast<int32_t>(q);
    const float mean = static_cast<float>(q) * (si * si) / static_cast<float>(n);
    const float r = 1.0F / std::sqrt(mean + epsilon) * (si * so);
    for (int64_t j = 0; j < n; ++j) {
      const float scaled = static_cast<float>(x[j]) * r;
      y[j] = round_to<T, Unit>(weight.empty() ? scaled : scaled * weight[static_cast<size_t>(j)]);
    }
  }
};

template <class T, class Unit>
struct LpNorm {
  float so = 1.0F;
  int p = 2;
  bool last_axis = true;

  void row(const T* x, int64_t n, T* y) const {
    int64_t sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      sum += p == 1 ? std::abs(int32_t{x[j]}) : int64_t{x[j]} * x[j];
    }
    const auto real = static_cast<float>(sum);
    const float inv = sum == 0 ? 0.0F : 1.0F / (p == 1 ? real : std::sqrt(real));
    for (int64_t j = 0; j < n; ++j) {
      const auto v = static_cast<float>(x[j]);
      y[j] = round_to<T, Unit>(last_axis ? v * (inv * so) : (v * inv) * so);
    }
  }
};

}  // namespace edgetwin::numerics::espdl
