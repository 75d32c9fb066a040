// Rounding of weights up or down, learned per weight. Specification: training, 16.
#pragma once

#include <span>
#include <vector>

#include "train/espdl/fake_quantize.h"

namespace edgetwin::train {

// Of weights w with one variable v each: scale * clamped(floor(w / scale) + h(v)),
// h = [0, 1] (1.2 sigmoid(v) - 0.1).
class AdaRound {
 public:
  AdaRound(std::span<const float> weights, FakeQuantizer quantizer);

  // The variables for which h is the fraction of w / scale.
  std::vector<float> start() const;
  std::vector<float> forward(std::span<const float> v) const;
  std::vector<float> gradient(std::span<const float> v, std::span<const float> gradient) const;
  // The hard result: up where h >= 1/2.
  std::vector<float> finished(std::span<const float> v) const;

 private:
  std::vector<float> weights_;
  FakeQuantizer quantizer_;
};

// The penalty that draws h to 0 and 1: 0.01 * sum(1 - |2h - 1|^beta).
struct RoundingPenalty {
  int steps = 1000;  // of the whole training; the first fifth is without penalty

  // From 20 down to 2 along a cosine over the steps with penalty; 20 before them.
  double beta(int step) const;
  double value(std::span<const float> v, int step) const;
  std::vector<float> gradient(std::span<const float> v, int step) const;
};

}  // namespace edgetwin::train
