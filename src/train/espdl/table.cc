#include "train/espdl/table.h"

#include <algorithm>
#include <cmath>

#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

double gelu_slope(double x) {
  constexpr double kRootHalf = 0.70710678118654752440;
  constexpr double kDensity = 0.39894228040143267794;
  return 0.5 * (1 + std::erf(x * kRootHalf)) + x * kDensity * exponential(-x * x / 2);
}

double mish_slope(double x) {
  const double t = hyperbolic_tangent(x > 20 ? x : logarithm(1 + exponential(x)));
  return t + x * (1 - t * t) * logistic(x);
}

double hardswish_slope(double x) {
  if (x <= -3) return 0;
  return x >= 3 ? 1 : (2 * x + 3) / 6;
}

}  // namespace

std::optional<double> derivative(lut::Function function, double x, double alpha, double beta) {
  const double s = logistic(x);
  const double t = hyperbolic_tangent(x);
  switch (function) {
    case lut::Function::sigmoid:
      return s * (1 - s);
    case lut::Function::tanh:
      return 1 - t * t;
    case lut::Function::swish:
      return s + x * s * (1 - s);
    case lut::Function::gelu:
      return gelu_slope(x);
    case lut::Function::hardswish:
      return hardswish_slope(x);
    case lut::Function::elu:
      return x > 0 ? 1 : alpha * exponential(x);
    case lut::Function::leaky_relu:
    case lut::Function::prelu:
      return x > 0 ? 1 : alpha;
    case lut::Function::hardsigmoid:
      return alpha * x + beta > 0 && alpha * x + beta < 1 ? alpha : 0;
    case lut::Function::mish:
      return mish_slope(x);
    case lut::Function::softplus:
      return s;
    case lut::Function::clip:
      return x >= alpha && x <= beta ? 1 : 0;
    case lut::Function::abs:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case lut::Function::neg:
      return -1;
    case lut::Function::identity:
      return 1;
    case lut::Function::relu:
      return x > 0 ? 1 : 0;
    case lut::Function::exp:
      return exponential(x);
    default:
      return std::nullopt;
  }
}

Result<TableFunction> TableFunction::make(const lut::TableSpec& spec, numerics::LutRule rule) {
  if (!derivative(spec.function, 0.5, 1, 1)) {
    return Error(ErrorCode::lut_spec, "training has no derivative of this function")
        .in_field(std::string(lut::info(spec.function).name));
  }
  EDGETWIN_TRY_ASSIGN(Tensor table, lut::build(spec));
  return TableFunction(spec, rule, std::move(table));
}

double TableFunction::input(float value) const {
  const double u = std::ldexp(static_cast<double>(value), -spec_.in_exponent);
  return spec_.rounding == numerics::Rounding::half_up ? std::floor(u + 0.5) : std::nearbyint(u);
}

std::vector<float> TableFunction::forward(std::span<const float> values) const {
  const auto entries = table_.as<int16_t>();
  std::vector<float> result;
  result.reserve(values.size());
  for (const float v : values) {
    const auto x = static_cast<int16_t>(std::clamp(input(v), -32768.0, 32767.0));
    const int16_t y = rule_ == numerics::LutRule::interpolate
                          ? numerics::lut16_interpolate(entries.data(), spec_.step, x)
                          : numerics::lut16_nearest(entries.data(), spec_.step, x, spec_.rounding);
    result.push_back(std::ldexp(static_cast<float>(y), spec_.out_exponent));
  }
  return result;
}

std::vector<float> TableFunction::gradient(std::span<const float> values,
                                           std::span<const float> gradient, bool beyond) const {
  const lut::FunctionInfo& known = lut::info(spec_.function);
  const auto alpha = static_cast<double>(spec_.alpha.value_or(known.alpha.value_or(0)));
  const auto beta = static_cast<double>(spec_.beta.value_or(known.beta.value_or(0)));
  std::vector<float> result;
  result.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const double x = input(values[i]);
    const bool inside = x >= -32768 && x <= 32767;
    const double slope = *derivative(spec_.function, static_cast<double>(values[i]), alpha, beta);
    result.push_back(inside || beyond ? static_cast<float>(static_cast<double>(gradient[i]) * slope)
                                      : 0.0F);
  }
  return result;
}

}  // namespace edgetwin::train
