#include "targets/edgetpu/decompile/scales/scale_conditions.h"

#include <algorithm>
#include <bit>

namespace edgetwin::edgetpu {
namespace {

constexpr uint32_t kMantissa = (1U << 23U) - 1;
constexpr size_t kPerByte = 4;

}  // namespace

OwnConditions::OwnConditions(const ScaleIndex& index)
    : index_(index),
      broken_(index.problem.laws.size(), false),
      fixed_(index.problem.tensors(), false),
      known_(index.problem.tensors()) {
  // Limits of 6 and 1 are real numbers; all others scale with the tensor, as products do.
  for (const ScaleLimits& l : index.problem.limits) {
    if (l.activation == Activation::relu6 || l.activation == Activation::relu_n1_to_1) {
      fixed_[l.tensor] = true;
    }
  }
}

bool OwnConditions::allow(size_t tensor, float scale) {
  if (fixed_[tensor]) return true;
  std::vector<uint8_t>& known = known_[tensor];
  if (known.empty()) known.resize((size_t{kMantissa} + 1) / kPerByte);
  const uint32_t mantissa = std::bit_cast<uint32_t>(scale) & kMantissa;
  uint8_t& byte = known[mantissa / kPerByte];
  const unsigned shift = 2 * (mantissa % kPerByte);
  const unsigned before = (byte >> shift) & 3U;
  if (before != 0) return before == 1;
  const bool allowed = compute(tensor, scale);
  byte = static_cast<uint8_t>(byte | ((allowed ? 1U : 2U) << shift));
  return allowed;
}

void OwnConditions::update(const ScaleLists& lists) {
  for (size_t l = 0; l < broken_.size(); ++l) {
    if (broken_[l] == lists.broken(l)) continue;
    broken_[l] = lists.broken(l);
    const size_t out = index_.problem.laws[l].out;
    if (out != kNoTensor) known_[out].clear();
  }
}

bool OwnConditions::compute(size_t tensor, float scale) const {
  for (const size_t l : index_.laws[tensor]) {
    const ScaleLaw& law = index_.problem.laws[l];
    if (law.out != tensor || law.in == tensor || broken_[l]) continue;
    if (!can_write(law, scale)) return false;
  }
  const auto& limits = index_.limits[tensor];
  return std::all_of(limits.begin(), limits.end(),
                     [&](size_t l) { return holds(index_.problem.limits[l], scale); });
}

}  // namespace edgetwin::edgetpu
