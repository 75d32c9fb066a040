// What a tensor instruction multiplies. Only forms whose results were held against a network's are
// known: others would give numbers, too, but nobody knows whether the right ones.
#include <cmath>

#include "targets/edgetpu/machine/work.h"

namespace edgetwin::edgetpu::machine {

std::optional<Form> form_of(const Step& s) {
  const Nest& n = *s.nest;
  constexpr uint32_t kWeighted = kKindWeights | 0x10U;
  constexpr uint32_t kVariants = kKindFinished | 0x2000U;  // finished in one go; zero points
  constexpr uint32_t kPlain = 0x30;
  constexpr uint32_t kProduct = 0x1C30;
  constexpr uint32_t kSumOfBytes = 0x1870;
  constexpr uint32_t kAddition = 0xB0;
  if (s.wide_result) return std::nullopt;
  if (n.function && n.kind != kPlain) return std::nullopt;
  if ((n.kind & ~kVariants) == kWeighted || n.kind == kPlain) return Form::words;
  if (n.kind == kProduct) return Form::bytes;
  if (n.kind == kSumOfBytes && std::isfinite(n.upper)) return Form::bytes;
  // With biases it is the subtraction of a softmax.
  if (n.kind == kAddition && !n.has_bias) return Form::pairs;
  return std::nullopt;
}

std::vector<Place> places_of(const Generator& g) {
  std::vector<Place> all;
  unroll(g, [&](int64_t at, uint32_t pass) { all.push_back({static_cast<int32_t>(at), pass}); });
  return all;
}

}  // namespace edgetwin::edgetpu::machine
