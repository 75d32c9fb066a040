// Plain IEEE single precision, for float tensors in all numerics: each product and sum rounded
// on its own, in the order of the walk. A reference for people, not a model of any chip.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "numerics/rules.h"

namespace edgetwin::numerics::float32 {

// A fused activation as an upper and a lower limit; NaN passes through.
inline float limit(float x, RealRange r) { return x < r.low ? r.low : (x > r.high ? r.high : x); }

struct Accumulate {
  using In = float;
  using Weight = float;
  using Bias = float;
  using Out = float;
  using Acc = float;
  static constexpr bool kExactSum = false;

  std::vector<float> bias;
  RealRange range;

  static Result<Accumulate> make(const AccumulateSpec& spec) {
    Accumulate rule;
    rule.range = spec.range;
    rule.bias.resize(spec.bias_data.size() / sizeof(float));
    if (!rule.bias.empty())
      std::memcpy(rule.bias.data(), spec.bias_data.data(), spec.bias_data.size());
    return rule;
  }
  Acc start(int) const { return 0.0F; }
  Acc mac(Acc acc, float x, float w, int) const { return acc + x * w; }
  float finish(Acc acc, int channel) const {
    return limit(bias.empty() ? acc : acc + bias[static_cast<size_t>(channel)], range);
  }
};

struct Binary {
  using Element = float;
  BinaryKind kind{};
  RealRange range;

  static Result<Binary> make(const BinarySpec& spec) { return Binary{spec.kind, spec.range}; }
  float operator()(float a, float b) const {
    switch (kind) {
      case BinaryKind::add:
        return limit(a + b, range);
      case BinaryKind::sub:
        return limit(a - b, range);
      case BinaryKind::mul:
        return limit(a * b, range);
      case BinaryKind::div:
        return limit(a / b, range);
      case BinaryKind::pow:
        return std::pow(a, b);
      case BinaryKind::mod:
        return b == 0.0F ? 0.0F : std::fmod(a, b);
    }
    return 0.0F;
  }
};

// The C library's own functions of floats differ between processors in the last bit; what is
// rounded from double precision does not, but for one number in 2^29 (docs/hosts.md).
inline float tanh(float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); }
inline float expm1(float x) { return static_cast<float>(std::expm1(static_cast<double>(x))); }
inline float erf(float x) { return static_cast<float>(std::erf(static_cast<double>(x))); }

struct Unary {
  using In = float;
  using Out = float;
  UnaryKind kind{};

  static Result<Unary> make(const UnarySpec& spec) { return Unary{spec.kind}; }
  float operator()(float x) const {
    switch (kind) {
      case UnaryKind::relu:
        return limit(x, {0.0F, std::numeric_limits<float>::infinity()});
      case UnaryKind::relu_n1_to_1:
        return limit(x, {-1.0F, 1.0F});
      case UnaryKind::relu6:
        return limit(x, {0.0F, 6.0F});
      case UnaryKind::logistic:
        return 1.0F / (1.0F + std::exp(-x));
      case UnaryKind::tanh:
        return tanh(x);
      case UnaryKind::hard_swish:
        return x * limit(x + 3.0F, {0.0F, 6.0F}) / 6.0F;
      default:  // the others are ESP-DL's: numerics/espdl/functions.h
        return x;
    }
  }
};

struct Pool {
  using Element = float;
  using Acc = float;
  PoolKind kind{};
  RealRange range;

  static Result<Pool> make(const PoolSpec& spec) { return Pool{spec.kind, spec.range}; }
  Acc start() const { return kind == PoolKind::max ? std::numeric_limits<float>::lowest() : 0.0F; }
  Acc take(Acc acc, float x) const { return kind == PoolKind::max ? std::max(acc, x) : acc + x; }
  float finish(Acc acc, int count) const {
    return limit(kind == PoolKind::max ? acc : acc / static_cast<float>(count), range);
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
  Acc start() const { return 0.0F; }
  Acc take(Acc acc, float x) const { return acc + x; }
  float finish(Acc acc) const { return kind == ReduceKind::mean ? acc / count : acc; }
};

struct Softmax {
  using In = float;
  using Out = float;
  float beta = 1.0F;

  static Result<Softmax> make(const SoftmaxSpec& spec) { return Softmax{spec.beta}; }
  void row(const float* x, int64_t n, float* y) const {
    float largest = std::numeric_limits<float>::lowest();
    for (int64_t i = 0; i < n; ++i) largest = std::max(largest, x[i]);
    float sum = 0.0F;
    for (int64_t i = 0; i < n; ++i) {
      y[i] = std::exp((x[i] - largest) * beta);
      sum += y[i];
    }
    for (int64_t i = 0; i < n; ++i) y[i] /= sum;
  }
};

}  // namespace edgetwin::numerics::float32
