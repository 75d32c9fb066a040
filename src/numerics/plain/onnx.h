// ONNX in float32: the functions as the operators' definitions write them. The reference that a
// quantizer measures against, not a model of any chip.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/plain/float32.h"
#include "numerics/plain/float_reduce.h"

namespace edgetwin::numerics {

namespace onnx {

inline float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

struct Unary {
  using In = float;
  using Out = float;
  UnaryKind kind{};
  float alpha = 0.0F, beta = 0.0F;

  static Result<Unary> make(const UnarySpec& spec) {
    return Unary{spec.kind, spec.alpha, spec.beta};
  }
  float operator()(float x) const {
    switch (kind) {
      case UnaryKind::relu:
        return x < 0.0F ? 0.0F : x;
      case UnaryKind::leaky_relu:
        return x < 0.0F ? alpha * x : x;
      case UnaryKind::elu:
        return x < 0.0F ? alpha * float32::expm1(x) : x;
      case UnaryKind::logistic:
        return sigmoid(x);
      case UnaryKind::tanh:
        return float32::tanh(x);
      case UnaryKind::swish:
        return x * sigmoid(x);
      case UnaryKind::hard_sigmoid:
        return float32::limit(alpha * x + beta, {0.0F, 1.0F});
      case UnaryKind::hard_swish:
        return x * float32::limit(x + 3.0F, {0.0F, 6.0F}) / 6.0F;
      case UnaryKind::gelu:
        return 0.5F * x * (1.0F + float32::erf(x * (std::numbers::sqrt2_v<float> / 2.0F)));
      case UnaryKind::exp:
        return std::exp(x);
      case UnaryKind::log:
        return std::log(x);
      case UnaryKind::sqrt:
        return std::sqrt(x);
      case UnaryKind::neg:
        return -x;
      default:  // TensorFlow Lite's own
        return x;
    }
  }
};

struct Reduce {
  using Element = float;
  using Acc = float;
  ReduceKind kind{};
  float count = 1.0F;

  static Result<Reduce> make(const ReduceSpec& spec) {
    return Reduce{spec.kind, static_cast<float>(spec.count)};
  }
  Acc start() const { return float32::reduce_start(kind); }
  Acc take(Acc acc, float x) const { return float32::reduce_take(kind, acc, x); }
  float finish(Acc acc) const {
    switch (kind) {
      case ReduceKind::mean:
        return acc / count;
      case ReduceKind::l2:
        return std::sqrt(acc);
      case ReduceKind::log_sum:
      case ReduceKind::log_sum_exp:
        return std::log(acc);
      default:
        return acc;
    }
  }
};

struct Softmax {
  using In = float;
  using Out = float;
  bool logarithm = false;

  static Result<Softmax> make(const SoftmaxSpec& spec) { return Softmax{spec.logarithm}; }
  void row(const float* x, int64_t n, float* y) const {
    const float largest = *std::max_element(x, x + n);
    float sum = 0.0F;
    for (int64_t i = 0; i < n; ++i) {
      const float e = std::exp(x[i] - largest);
      y[i] = logarithm ? x[i] - largest : e;
      sum += e;
    }
    const float log_sum = std::log(sum);
    for (int64_t i = 0; i < n; ++i) y[i] = logarithm ? y[i] - log_sum : y[i] / sum;
  }
};

}  // namespace onnx

// Sums of products are in ops/onnx_*.cc and kernels/float_*.h: there the order of the sum, one
// fused multiply-add after the other, is the rule.
struct Onnx {
  using Binary = RuleList<float32::Binary>;
  using Unary = RuleList<onnx::Unary>;
  using Reduce = RuleList<onnx::Reduce>;
  using Softmax = RuleList<onnx::Softmax>;
};

}  // namespace edgetwin::numerics
