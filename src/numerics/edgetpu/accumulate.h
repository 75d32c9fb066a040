// Convolutions and fully connected layers on the Edge TPU.
#pragma once

#include <vector>

#include "numerics/edgetpu/common.h"
#include "numerics/tflite/accumulate.h"

namespace edgetwin::numerics::edgetpu {

template <class T>
struct Accumulate {
  using In = T;
  using Weight = T;
  using Bias = int32_t;
  using Out = T;
  using Acc = int64_t;  // wide, so that leaving 32 bits is seen
  static constexpr bool kExactSum = true;

  int32_t input_zero_point = 0;
  std::vector<int32_t> weight_zero_points;  // one, or one per channel
  std::vector<Bias> bias;
  std::vector<float> multipliers;  // one per channel
  Tail<T> tail;

  static Result<Accumulate> make(const AccumulateSpec& spec) {
    EDGETWIN_TRY(need_affine(spec.in, "the input"));
    EDGETWIN_TRY(need_affine(spec.weight, "the filter"));
    EDGETWIN_TRY(need_affine(spec.out, "the output"));
    Accumulate rule;
    rule.input_zero_point = zero_point(spec.in);
    const bool per_channel = spec.weight.per_channel();
    const size_t zeros = per_channel ? static_cast<size_t>(spec.channels) : 1;
    for (size_t c = 0; c < zeros; ++c) {
      rule.weight_zero_points.push_back(zero_point(spec.weight, c));
    }
    for (size_t c = 0; c < static_cast<size_t>(spec.channels); ++c) {
      const float m = multiplier(scale(spec.in), scale(spec.weight, c), scale(spec.out));
      EDGETWIN_TRY(need_finite(m, "channel " + std::to_string(c) +
                                      ": (input scale * weight scale) * (1 / "
                                      "output scale)"));
      rule.multipliers.push_back(m);
    }
    rule.bias = tflite::copy_bias<Bias>(spec.bias_data);
    rule.tail = Tail<T>::make(spec.out, spec.range, spec.edgetpu);
    return rule;
  }

  int32_t weight_zero_point(int channel) const {
    return weight_zero_points[weight_zero_points.size() == 1 ? 0 : static_cast<size_t>(channel)];
  }
  Acc start(int channel) const { return bias.empty() ? 0 : bias[static_cast<size_t>(channel)]; }
  Acc mac(Acc acc, In x, Weight w, int channel) const {
    return acc + (x - input_zero_point) * (w - weight_zero_point(channel));
  }
  Out finish(Acc acc, int channel) const {
    return tail(acc, multipliers[static_cast<size_t>(channel)]);
  }
};

}  // namespace edgetwin::numerics::edgetpu
