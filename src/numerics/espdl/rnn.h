// GRU and LSTM of ESP-DL: gates are int16 at 2^gate_exponent, their functions come from float
// tables, and sums of gates wrap. Known from reading the runtime only; no recorded result exists.
// Source: specification of the runtime, operators 11.
#pragma once

#include <vector>

#include "numerics/espdl/common.h"

namespace edgetwin::numerics::espdl {

// sigmoid or tanh of k * 2^e for integers k, by a table over k >= 0.
class GateFunction {
 public:
  GateFunction(bool tanh, int e) : tanh_(tanh) {
    const float step = scale(e);
    const auto last = static_cast<int>((tanh ? 3.5F : 6.3F) * scale(-e)) + 1;
    for (int i = 0; i <= last; ++i) {
      const float x = static_cast<float>(i) * step;
      table_.push_back(tanh ? 2.0F * sigmoid(2.0F * x) - 1.0F : sigmoid(x));
    }
  }
  float operator()(int32_t k) const {
    const auto last = static_cast<int32_t>(table_.size()) - 1;
    if (k >= 0) return table_[static_cast<size_t>(std::min(k, last))];
    const float positive = table_[static_cast<size_t>(k < -last ? last : -k)];
    return tanh_ ? -positive : 1.0F - positive;
  }

 private:
  static float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }
  bool tanh_;
  std::vector<float> table_;
};

// The dot product of one gate: a full vector is summed and shifted in integers, everything else is
// converted to float.
template <class T, class Unit>
int16_t gate_dot(const T* x, const T* w, int64_t n, int shift) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += int64_t{x[i]} * w[i];
  const bool vector = Unit::kVector != VectorUnit::none && n % kLanes<T> == 0 && shift >= 0;
  if (vector) return saturate<int16_t>(shift_round<Unit>(sum, shift));
  return round_to<int16_t, Unit>(static_cast<float>(sum) * scale(-shift));
}

constexpr int16_t wrap16(int32_t x) { return static_cast<int16_t>(x); }

}  // namespace edgetwin::numerics::espdl
