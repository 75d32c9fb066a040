#include "train/tune/quantized_steps.h"

#include <algorithm>
#include <cmath>

#include "train/espdl/table.h"

namespace edgetwin::train {
namespace {

// Adding and taking off 1.5 * 2^52 rounds half to even below 2^51; a call of the library is slower
// than the rest of a step.
double rounded(double u, numerics::Rounding rounding) {
  constexpr double kMagic = 0x1.8p52;
  constexpr double kLimit = 0x1p50;
  if (!(u > -kLimit && u < kLimit)) return u;
  const double v = rounding == numerics::Rounding::half_up ? u + 0.5 : u;
  const double r = (v + kMagic) - kMagic;
  return rounding == numerics::Rounding::half_up && r > v ? r - 1 : r;
}

class RoundingStep : public Step {
 public:
  explicit RoundingStep(const RoundingSpec& spec)
      : spec_(spec), low_(-std::ldexp(1.0, spec.bits - 1)), high_(-low_ - 1) {
    for (const int e : spec.exponents) {
      scales_.push_back(std::ldexp(1.0, e));
      inverse_.push_back(std::ldexp(1.0, -e));
    }
  }

  void forward(Operands in, Numbers& out) const override {
    const Numbers& x = *in[0];
    for (size_t i = 0; i < out.size(); ++i) {
      const size_t c = channel(i);
      const double q = rounded(x[i] * inverse_[c], spec_.rounding);
      out[i] = std::clamp(q, low_, high_) * scales_[c];
    }
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    for (size_t i = 0; i < gradient.size(); ++i) {
      const double q = rounded((*in[0])[i] * inverse_[channel(i)], spec_.rounding);
      if (!spec_.mask || (q >= low_ && q <= high_)) (*to[0])[i] += gradient[i];
    }
  }

 private:
  size_t channel(size_t i) const {
    return scales_.size() == 1 ? 0 : i / spec_.inner % scales_.size();
  }

  RoundingSpec spec_;
  double low_, high_;
  std::vector<double> scales_, inverse_;
};

class ThresholdStep : public Step {
 public:
  explicit ThresholdStep(const RoundingSpec& spec)
      : spec_(spec), low_(-std::ldexp(1.0, spec.bits - 1)), high_(-low_ - 1) {}

  void forward(Operands in, Numbers& out) const override {
    const Numbers scales = scales_of(*in[1]);
    for (size_t i = 0; i < out.size(); ++i) {
      const double s = scales[channel(i)];
      out[i] = std::clamp(rounded((*in[0])[i] / s, spec_.rounding), low_, high_) * s;
    }
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    constexpr double kLn2 = 0.69314718055994530942;
    const Numbers scales = scales_of(*in[1]);
    for (size_t i = 0; i < gradient.size(); ++i) {
      const size_t c = channel(i);
      const double u = (*in[0])[i] / scales[c];
      const double q = rounded(u, spec_.rounding);
      const bool inside = q >= low_ && q <= high_;
      if (to[0] != nullptr && inside) (*to[0])[i] += gradient[i];
      if (to[1] == nullptr) continue;
      const double term = inside ? q - u : std::clamp(q, low_, high_);
      (*to[1])[c] += kLn2 * scales[c] * gradient[i] * term;
    }
  }

 private:
  static Numbers scales_of(const Numbers& logarithms) {
    Numbers scales;
    for (const double a : logarithms) {
      scales.push_back(std::ldexp(1.0, static_cast<int>(std::nearbyint(a))));
    }
    return scales;
  }
  size_t channel(size_t i) const {
    return spec_.exponents.size() == 1 ? 0 : i / spec_.inner % spec_.exponents.size();
  }

  RoundingSpec spec_;
  double low_, high_;
};

class TableStep : public Step {
 public:
  TableStep(const lut::TableSpec& spec, numerics::LutRule rule, Tensor table)
      : spec_(spec), rule_(rule), table_(std::move(table)) {
    if (spec.formula != nullptr) return;
    const lut::FunctionInfo& known = lut::info(spec.function);
    alpha_ = static_cast<double>(spec.alpha.value_or(known.alpha.value_or(0)));
    beta_ = static_cast<double>(spec.beta.value_or(known.beta.value_or(0)));
  }

  void forward(Operands in, Numbers& out) const override {
    const auto entries = table_.as<int16_t>();
    for (size_t i = 0; i < out.size(); ++i) {
      const auto x = static_cast<int16_t>(std::clamp(input((*in[0])[i]), -32768.0, 32767.0));
      const int16_t y =
          rule_ == numerics::LutRule::interpolate
              ? numerics::lut16_interpolate(entries.data(), spec_.step, x)
              : numerics::lut16_nearest(entries.data(), spec_.step, x, spec_.rounding);
      out[i] = std::ldexp(static_cast<double>(y), spec_.out_exponent);
    }
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    for (size_t i = 0; i < gradient.size(); ++i) {
      const double q = input((*in[0])[i]);
      if (q >= -32768 && q <= 32767) (*to[0])[i] += gradient[i] * slope((*in[0])[i], q);
    }
  }

 private:
  double input(double x) const {
    return rounded(std::ldexp(x, -spec_.in_exponent), spec_.rounding);
  }
  // Functions without a derivative of their own: the ideal function one step to each side.
  double slope(double x, double q) const {
    if (spec_.formula == nullptr) {
      if (const auto known = derivative(spec_.function, x, alpha_, beta_)) return *known;
    }
    const int at = std::clamp(static_cast<int>(q), -32767, 32766);
    const double rise = static_cast<double>(lut::real_value(spec_, at + 1)) -
                        static_cast<double>(lut::real_value(spec_, at - 1));
    return rise / std::ldexp(2.0, spec_.in_exponent);
  }

  lut::TableSpec spec_;
  numerics::LutRule rule_;
  Tensor table_;
  double alpha_ = 0, beta_ = 0;
};

}  // namespace

std::unique_ptr<Step> make_rounding(const RoundingSpec& spec) {
  return std::make_unique<RoundingStep>(spec);
}

std::unique_ptr<Step> make_threshold_rounding(const RoundingSpec& spec) {
  return std::make_unique<ThresholdStep>(spec);
}

Result<std::unique_ptr<Step>> make_table(const lut::TableSpec& spec, numerics::LutRule rule) {
  EDGETWIN_TRY_ASSIGN(Tensor table, lut::build(spec));
  return std::unique_ptr<Step>(std::make_unique<TableStep>(spec, rule, std::move(table)));
}

}  // namespace edgetwin::train
