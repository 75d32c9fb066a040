#include "targets/max78/chip/regs.h"

namespace edgetwin::max78 {
namespace {

constexpr RegInfo kLayerRegs[] = {
#define LAYER_REG(name, small, large, meaning) {#name, small, large, meaning},
#include "targets/max78/chip/regs.def"
#undef LAYER_REG
};

constexpr RegInfo kGlobalRegs[] = {
#define GLOBAL_REG(name, small, large, meaning) {#name, small, large, meaning},
#include "targets/max78/chip/regs.def"
#undef GLOBAL_REG
};

constexpr FieldInfo kFields[] = {
#define FIELD(reg, name, low, small, large, meaning) {#reg, #name, low, small, large, meaning},
#include "targets/max78/chip/regs.def"
#undef FIELD
};

constexpr int kStreamRegs = 0x2000;  // of MAX78002: from here on a register holds all layers

int number(const RegInfo& reg, const Limits& chip) {
  return chip.device == Device::max78000 ? reg.small : reg.large;
}

}  // namespace

std::span<const RegInfo> layer_regs() { return kLayerRegs; }
std::span<const RegInfo> global_regs() { return kGlobalRegs; }
std::span<const FieldInfo> reg_fields() { return kFields; }

std::string_view name(LayerReg reg) { return kLayerRegs[static_cast<size_t>(reg)].name; }
std::string_view name(GlobalReg reg) { return kGlobalRegs[static_cast<size_t>(reg)].name; }

uint32_t field(const Limits& chip, Field field, uint32_t value) {
  const FieldInfo& f = kFields[static_cast<size_t>(field)];
  const int bits = chip.device == Device::max78000 ? f.small : f.large;
  return static_cast<uint32_t>(uint64_t{value} >> f.low & ((uint64_t{1} << bits) - 1));
}

bool has(const Limits& chip, LayerReg reg) {
  return number(kLayerRegs[static_cast<int>(reg)], chip) >= 0;
}

uint32_t address(const Limits& chip, LayerReg reg, int group, int layer) {
  const auto n = static_cast<uint32_t>(number(kLayerRegs[static_cast<int>(reg)], chip));
  const auto l = static_cast<uint32_t>(layer);
  if (chip.device == Device::max78000) return chip.group(group) + 0x10 + 0x80 * n + 4 * l;
  if (n >= kStreamRegs) return chip.group(group) + 0x100000 + 4 * n + 4 * l;
  return chip.group(group) + 0x100000 + 0x100 * l + 4 * n;
}

uint32_t address(const Limits& chip, GlobalReg reg, int group) {
  const auto n = static_cast<uint32_t>(number(kGlobalRegs[static_cast<int>(reg)], chip));
  return chip.group(group) + 4 * n;
}

}  // namespace edgetwin::max78
