#include "targets/max78/machine/state/registers.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr int kStreamLayers = 8;  // MAX78002 has stream registers for as many

bool is_stream(LayerReg reg) {
  return reg == LayerReg::stream1 || reg == LayerReg::stream2 || reg == LayerReg::fmax;
}

}  // namespace

Registers::Registers(const Limits& chip) : chip_(chip), layers_(chip.max_layers) {
  const uint32_t base = chip.group(0);
  globals_ = layer_regs().size() * static_cast<size_t>(layers_);
  for (size_t r = 0; r < layer_regs().size(); ++r) {
    const auto reg = static_cast<LayerReg>(r);
    if (!has(chip, reg)) continue;
    const bool few = chip.device == Device::max78002 && is_stream(reg);
    for (int l = 0; l < (few ? kStreamLayers : layers_); ++l) {
      slots_[address(chip, reg, 0, l) - base] = {Slot::Kind::layer, reg, {}, l, index(reg, l)};
    }
  }
  for (size_t r = 0; r < global_regs().size(); ++r) {
    const auto reg = static_cast<GlobalReg>(r);
    if (reg == GlobalReg::snoop) continue;
    slots_[address(chip, reg, 0) - base] = {Slot::Kind::global, {}, reg, 0, index(reg)};
  }
  const size_t snoop = globals_ + global_regs().size();
  if (chip.has_snoop) {
    for (uint32_t i = 0; i < kSnoopRegisters; ++i) {
      slots_[address(chip, GlobalReg::snoop, 0) - base + 4 * i] = {
          Slot::Kind::snoop, {}, GlobalReg::snoop, static_cast<int>(i), snoop + i};
    }
  }
  for (auto& v : values_) v.assign(snoop + kSnoopRegisters, 0);
}

std::optional<Registers::Slot> Registers::find(uint32_t offset) const {
  const auto found = slots_.find(offset);
  if (found == slots_.end()) return std::nullopt;
  return found->second;
}

void Registers::clear_layers(int group) {
  auto& v = of(group);
  std::fill(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(globals_), 0U);
}

}  // namespace edgetwin::max78
