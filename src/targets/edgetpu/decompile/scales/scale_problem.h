// What a program tells about the scales of its tensors: laws that they fulfil to the last bit.
// All arithmetic is single precision in the chip's order; docs/edgetpu-decompile.md, "Scales".
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/attrs.h"

namespace edgetwin::edgetpu {

inline constexpr size_t kNoTensor = static_cast<size_t>(-1);

// The limits in the instruction that writes a tensor.
struct ScaleLimits {
  size_t tensor = kNoTensor;
  int zero_point = 0;  // unsigned domain
  Activation activation = Activation::none;
  float lower = 0.0F, upper = 0.0F;
};

enum class ScaleLawKind : uint8_t {
  weighted,  // each of `wanted` is (in * w) * (1 / out) with some w of its own
  rescale,   // in * (1 / out)
  pool,      // (in * (1 / count)) * (1 / out)
  product,   // (in * second) * (1 / out)
  sum        // (in / |weight[0]|) * (1 / out), the weights are those of `in` and `second`
};

struct ScaleLaw {
  ScaleLawKind kind = ScaleLawKind::weighted;
  size_t in = kNoTensor, second = kNoTensor, out = kNoTensor;  // kNoTensor: not known
  std::vector<float> wanted;  // multipliers of the instruction: one, weighted layers any number
  int count = 1;
  int weight[2] = {0, 0};
  // Of a sum: between which quotients, smaller scale by larger, its weights are made; 0, 0: no
  // fraction of small numbers. Of sum_law().
  double low = 0.0, high = 0.0;
};
ScaleLaw sum_law(size_t in, size_t second, size_t out, float multiplier, int weight_in,
                 int weight_second);

struct ScaleProblem {
  std::vector<float> anchors;  // by tensor: its scale as the file tells it; 0: it does not
  std::vector<ScaleLimits> limits;
  std::vector<ScaleLaw> laws;
  size_t tensors() const { return anchors.size(); }
};

// Whether a law holds for these scales. Scales of 0 are not decided: what they touch holds as long
// as any scale could make it hold by the law's last operation.
bool holds(const ScaleLaw& law, float in, float second, float out);
bool holds(const ScaleLimits& limits, float scale);
// Whether the law's last product, by 1 / out, can give what is wanted, whatever the other scales.
bool can_write(const ScaleLaw& law, float out);

// The scale of `unknown`, one of the law's tensors, from the others as far as they are known, but
// for the last bits; 0: they do not tell.
float estimate(const ScaleLaw& law, size_t unknown, float in, float second, float out);
// A few scales, without memory of their own: the search makes some million such lists.
class ScaleCandidates {
 public:
  static constexpr size_t kMost = 49;
  void push_back(float s) { scales_[size_++] = s; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  float front() const { return scales_[0]; }
  const float* begin() const { return scales_.data(); }
  const float* end() const { return scales_.data() + size_; }

 private:
  size_t size_ = 0;
  std::array<float, kMost> scales_;  // only the first size_ are set
};
// Those around the estimate with which the law can hold, the nearest first.
ScaleCandidates derive(const ScaleLaw& law, size_t unknown, float in, float second, float out);

// (input * weight) * (1 / output) in single precision.
float chip_multiplier(float input, float weight, float output);

// A weight scale with which chip_multiplier() is exactly `wanted`; 0: there is none.
float solve_weight(float input, float output, float wanted);

// In the header: the search asks these some hundred million times.
inline bool usable_scale(float x) {
  return x >= std::numeric_limits<float>::min() && x <= std::numeric_limits<float>::max();
}
// The float that is so many steps away.
inline float step_float(float x, int steps) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) + static_cast<uint32_t>(steps));
}
// The n-th of the floats around x, the nearest first: x, one step up, one down, two up, ...
inline float nth_nearest(float x, int n) {
  return step_float(x, n % 2 == 0 ? -n / 2 : (n + 1) / 2);
}

}  // namespace edgetwin::edgetpu
