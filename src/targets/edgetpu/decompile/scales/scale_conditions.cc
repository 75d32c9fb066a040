#include "targets/edgetpu/decompile/scales/scale_conditions.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/decompile/scales/scale_arithmetic.h"

namespace edgetwin::edgetpu {
namespace {

constexpr uint32_t kMantissa = (1U << 23U) - 1;

}  // namespace

OwnConditions::OwnConditions(const ScaleIndex& index)
    : index_(index),
      broken_(index.problem.laws.size(), false),
      fixed_(index.problem.tensors(), false),
      wanted_(index.problem.tensors()),
      limits_(index.problem.tensors()),
      known_(index.problem.tensors()) {
  // Limits of 6 and 1 are real numbers; all others scale with the tensor, as products do.
  for (const ScaleLimits& l : index.problem.limits) {
    if (l.activation == Activation::relu6 || l.activation == Activation::relu_n1_to_1) {
      fixed_[l.tensor] = true;
    }
    const bool relu = l.activation == Activation::relu;
    limits_[l.tensor].push_back({relu ? 0.0F : static_cast<float>(0 - l.zero_point),
                                 static_cast<float>(255 - l.zero_point), l.lower, l.upper});
  }
  for (size_t t = 0; t < index.problem.tensors(); ++t) collect(t);
}

// Law by law, as the program has them: within a law the strictest come first.
void OwnConditions::collect(size_t tensor) {
  std::vector<float>& wanted = wanted_[tensor];
  wanted.clear();
  for (const size_t l : index_.laws[tensor]) {
    const ScaleLaw& law = index_.problem.laws[l];
    if (law.out != tensor || law.in == tensor || broken_[l]) continue;
    wanted.insert(wanted.end(), law.wanted.begin(), law.wanted.end());
  }
  known_[tensor] = {};
}

void OwnConditions::update(const ScaleLists& lists) {
  for (size_t l = 0; l < broken_.size(); ++l) {
    if (broken_[l] == lists.broken(l)) continue;
    broken_[l] = lists.broken(l);
    const size_t out = index_.problem.laws[l].out;
    if (out != kNoTensor) collect(out);
  }
}

// A single scale is computed sooner than a block, and mostly not asked for again.
bool OwnConditions::allow(size_t tensor, float scale) const {
  if (fixed_[tensor]) return true;
  const Known& known = known_[tensor];
  const uint32_t mantissa = std::bit_cast<uint32_t>(scale) & kMantissa;
  if (!known.asked.empty() && known.asked[mantissa / kBlock]) {
    return ((known.allowed[mantissa / kBlock] >> (mantissa % kBlock)) & 1U) != 0;
  }
  return compute(tensor, scale);
}

void OwnConditions::prepare(size_t tensor) {
  Known& known = known_[tensor];
  if (!known.asked.empty()) return;
  known.asked.resize((size_t{kMantissa} + 1) / kBlock);
  known.allowed.resize(known.asked.size());
}

uint64_t OwnConditions::allow_block(size_t tensor, float first) {
  if (fixed_[tensor]) return ~uint64_t{0};
  prepare(tensor);
  Known& known = known_[tensor];
  const size_t block = (std::bit_cast<uint32_t>(first) & kMantissa) / kBlock;
  if (!known.asked[block]) {
    known.allowed[block] = compute_block(tensor, first);
    known.asked[block] = true;
  }
  return known.allowed[block];
}

bool OwnConditions::compute(size_t tensor, float scale) const {
  const float inverse = 1.0F / scale;
  const auto& limits = limits_[tensor];
  const auto& wanted = wanted_[tensor];
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](float w) { return reachable(inverse, w); }) &&
         std::all_of(limits.begin(), limits.end(), [&](const Limit& l) {
           return (l.low * scale) * inverse == l.lower && (l.high * scale) * inverse == l.upper;
         });
}

// Limits and the first multipliers of all scales side by side, then what is left one by one.
uint64_t OwnConditions::compute_block(size_t tensor, float first) const {
  float scale[kBlock];
  float inverse[kBlock];
  uint32_t open[kBlock];
  for (uint32_t i = 0; i < kBlock; ++i) {
    scale[i] = std::bit_cast<float>(std::bit_cast<uint32_t>(first) + i);
    inverse[i] = 1.0F / scale[i];
    open[i] = 1;
  }
  for (const Limit& l : limits_[tensor]) {
    for (uint32_t i = 0; i < kBlock; ++i) {
      open[i] &= (l.low * scale[i]) * inverse[i] == l.lower ? 1U : 0U;
      open[i] &= (l.high * scale[i]) * inverse[i] == l.upper ? 1U : 0U;
    }
  }
  const auto& wanted = wanted_[tensor];
  constexpr size_t kTogether = 3;
  const size_t together = std::min(wanted.size(), kTogether);
  for (size_t n = 0; n < together; ++n) {
    const float w = wanted[n];
    for (uint32_t i = 0; i < kBlock; ++i) {
      open[i] &= (w / inverse[i]) * inverse[i] == w ? 1U : 0U;
    }
  }
  const auto rest = wanted.begin() + static_cast<std::ptrdiff_t>(together);
  uint64_t allowed = 0;
  for (uint32_t i = 0; i < kBlock; ++i) {
    if (open[i] == 0) continue;
    const auto reached = [&](float w) { return reachable(inverse[i], w); };
    if (std::all_of(rest, wanted.end(), reached)) allowed |= uint64_t{1} << i;
  }
  return allowed;
}

}  // namespace edgetwin::edgetpu
