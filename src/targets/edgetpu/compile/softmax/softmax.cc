#include "targets/edgetpu/compile/softmax/softmax.h"

#include <bit>
#include <limits>

#include "targets/edgetpu/compile/softmax/steps.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kLanes = 4;  // values of a word
constexpr uint32_t kLeastBias = 0x80000000U;

struct StepInfo {
  int64_t lowest = 0;
  void (*emit)(Program&, const TileSoftmaxSpec&) = nullptr;
};
constexpr int64_t transfers_from(int64_t lowered) { return kWideTop - kTransferLines - lowered; }

constexpr std::array<StepInfo, kSoftmaxSteps> kSteps{{
    {transfers_from(kFarLowered), softmax_to_one},
    {kSoftmaxStream, softmax_largest},
    {transfers_from(kNearLowered), softmax_to_all},
    {kSoftmaxLargest, softmax_difference},
    {kSoftmaxTableRing, softmax_below},
    {kSoftmaxTableRing, softmax_exponentials},
    {transfers_from(kAtopLowered), softmax_joined},
    {transfers_from(kFarLowered), softmax_last},
    {kSoftmaxStream, softmax_sum},
    {kSoftmaxStream, softmax_reciprocal},
    {transfers_from(kNearLowered), softmax_spread},
    {kSoftmaxOperands, softmax_product},
}};

const StepInfo& info(SoftmaxStep step) { return kSteps.at(static_cast<size_t>(step)); }

}  // namespace

bool can_be_in_tiles(int64_t count) {
  const TileSoftmaxShape shape{count};
  return count % kLanes != 0 && shape.tiles() > 1 && shape.tiles() <= kTiles;
}

std::vector<uint32_t> softmax_table(SoftmaxTable which, int64_t count, float multiplier) {
  const auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  const bool last = which == SoftmaxTable::last, scale = which == SoftmaxTable::scale;
  const int64_t lines = last ? 1 : ceil_div(count, kLanes);
  std::vector<uint32_t> all(static_cast<size_t>(lines * kTableSlots), 0);
  if (last) {
    all.front() = bits(1.0F);
    return all;
  }
  constexpr float kGreatest = std::numeric_limits<float>::max();
  const uint32_t filler = scale ? bits(std::min(multiplier * kGreatest, kGreatest)) : kLeastBias;
  for (int64_t k = 0; k < kLanes * lines; ++k) {
    const auto at = static_cast<size_t>(k / kLanes * kTableSlots + k % kLanes);
    all[at] = k >= count ? filler : scale ? bits(multiplier) : 0;
  }
  return all;
}

int64_t lowest_line(SoftmaxStep step) { return info(step).lowest; }

void softmax_step(Program& p, SoftmaxStep step, const TileSoftmaxSpec& spec) {
  info(step).emit(p, spec);
}

}  // namespace edgetwin::edgetpu::compiler
