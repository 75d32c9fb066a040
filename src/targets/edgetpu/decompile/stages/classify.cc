#include <array>

#include "targets/edgetpu/decompile/stages/classify.h"
#include "targets/edgetpu/decompile/stages/function_ranges.h"

namespace edgetwin::edgetpu {
namespace {

constexpr float kExponentialRange = 13.0381F;

// Levels that repeat, innermost first.
std::vector<Level> used(const Traversal& t) {
  std::vector<Level> levels;
  for (const Level& l : t.levels()) {
    if (l.count > 1) levels.push_back(l);
  }
  return levels;
}

bool is_depthwise(const Nest& n) {
  const auto in = used(n.in);
  const auto out = used(n.out);
  // Of one position only the window, in two levels, and the words of channels are left; more levels
  // are positions of one word each, by chance as many as the input has words.
  constexpr size_t kOnePosition = 3;
  if (out.size() == 1 && in.size() > kOnePosition) return false;
  return n.out.level[0].count == 1 && !in.empty() && !out.empty() && in.back().net == 4 &&
         out.back().net == 4 && in.back().count == out.back().count;
}

bool endless(const Nest& n) { return std::isinf(n.lower) && std::isinf(n.upper); }

// scale * (1 / scale) may miss 1 by a bit, which changes no byte.
bool is_one(float m) { return std::abs(m - 1.0F) <= 0x1p-23F; }

bool copies(const Nest& n) {
  return is_one(n.multiplier) && n.constant == 0 &&
         (endless(n) || n.input_zero_point == n.output_zero_point);
}

// M is 1 / n of a whole number n, but for the rounding of the scales.
bool averages(const Nest& n) {
  if (!(n.multiplier > 0.0F) || n.multiplier >= 1.0F) return false;
  const float count = std::nearbyint(1.0F / n.multiplier);
  return count > 1.0F && count < 65536.0F &&
         std::abs(1.0F / count - n.multiplier) <= n.multiplier * 0x1p-22F;
}

StageKind classify_function(const Nest& n) {
  if (near(n.upper, kLogisticRange) && near(n.lower, -kLogisticRange)) return StageKind::logistic;
  if (near(n.upper, kTanhRange) && near(n.lower, -kTanhRange)) return StageKind::tanh;
  if (near(n.lower, -kExponentialRange)) return StageKind::exponential;
  return StageKind::rescale;
}

}  // namespace

bool is_selection(const Nest& n) {
  return n.weighted() && !n.channel_zero_points && !n.has_scales && n.weight_zero_point == 0 &&
         is_one(n.multiplier) && n.input_zero_point == n.output_zero_point;
}

std::string_view name(StageKind kind) {
  static constexpr std::array<std::string_view, 15> kNames{
      "resize",    "maximum",     "exponential sum",
      "depthwise", "selection",   "conv",
      "add",       "sum",         "pool",
      "copy",      "mul",         "logistic",
      "tanh",      "exponential", "rescale"};
  return kNames[static_cast<size_t>(kind)];
}

StageKind classify(const Nest& n) {
  constexpr uint32_t kAdd = 0xB0;
  constexpr uint32_t kFromWide = 0x1870;
  constexpr uint32_t kBytewise = 0x1C30;
  if (n.opcode == Opcode::tensor_resize) return StageKind::resize;
  if (n.opcode == Opcode::tensor_max) return StageKind::maximum;
  if (n.opcode == Opcode::tensor_exp) return StageKind::exponential_sum;
  if ((n.kind & kKindWeights) != 0 && is_depthwise(n)) return StageKind::depthwise;
  if (n.weighted()) return StageKind::conv;
  if (n.kind == kAdd && n.loop[0] == 2 && n.loop[1] == 2) return StageKind::add;
  if (n.kind == kFromWide && n.multiplier == 1.0F && endless(n)) return StageKind::sum;
  // The window is in the loops; the scales may differ.
  if (n.kind == kFromWide && !endless(n) && n.loop[0] * n.loop[1] > 1) return StageKind::pool;
  if ((n.kind == kFromWide || n.kind == 0xF0 || n.kind == 0x70) && averages(n)) {
    return StageKind::pool;
  }
  if (copies(n)) return StageKind::copy;
  if (n.kind == kBytewise) return StageKind::mul;
  return n.function ? classify_function(n) : StageKind::rescale;
}

}  // namespace edgetwin::edgetpu
