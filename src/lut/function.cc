#include "lut/function.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

namespace edgetwin::lut {
namespace {

constexpr std::nullopt_t kNone = std::nullopt;
constexpr float kLowest = std::numeric_limits<float>::lowest();
constexpr float kHighest = std::numeric_limits<float>::max();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kSqrtHalf = 0.707106781186547524F;
constexpr float kSoftplusLinear = 20.0F;

// The double function is right to far more bits than a float has, so that its rounded value does
// not depend on the mathematical library.
float exp_f(float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }
float expm1_f(float x) { return static_cast<float>(std::expm1(static_cast<double>(x))); }
float log_f(float x) { return static_cast<float>(std::log(static_cast<double>(x))); }
float log1p_f(float x) { return static_cast<float>(std::log1p(static_cast<double>(x))); }
float tanh_f(float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); }
float erf_f(float x) { return static_cast<float>(std::erf(static_cast<double>(x))); }
float sin_f(float x) { return static_cast<float>(std::sin(static_cast<double>(x))); }
float cos_f(float x) { return static_cast<float>(std::cos(static_cast<double>(x))); }
float tan_f(float x) { return static_cast<float>(std::tan(static_cast<double>(x))); }
float softplus(float x) { return x > kSoftplusLinear ? x : log1p_f(exp_f(x)); }
float clip(float x, float low, float high) { return std::min(std::max(x, low), high); }

using Evaluation = float (*)(float x, float alpha, float beta);

constexpr Evaluation kFormulas[] = {
#define LUT_FUNCTION(name, op, alpha_default, beta_default, formula, what, edges)   \
  [](float x, [[maybe_unused]] float alpha, [[maybe_unused]] float beta) -> float { \
    return formula;                                                                 \
  },
#include "lut/functions.def"
#undef LUT_FUNCTION
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

const std::vector<FunctionInfo>& all_functions() {
  static const std::vector<FunctionInfo> kAll = {
#define LUT_FUNCTION(name, op, alpha, beta, formula, what, edges) \
  {Function::name, #name, op, alpha, beta, what, edges},
#include "lut/functions.def"
#undef LUT_FUNCTION
  };
  return kAll;
}

const FunctionInfo& info(Function function) {
  return all_functions()[static_cast<size_t>(function)];
}

std::optional<Function> function_from_name(std::string_view name) {
  const std::string wanted = lower(name);
  for (const FunctionInfo& f : all_functions()) {
    if (wanted == f.name || wanted == lower(f.op_type)) return f.function;
  }
  return std::nullopt;
}

float evaluate(Function function, float x, float alpha, float beta) {
  return kFormulas[static_cast<size_t>(function)](x, alpha, beta);
}

}  // namespace edgetwin::lut
