// The registers of the accelerator: the tables of regs.def, and how numbers become addresses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "targets/max78/chip/limits.h"

namespace edgetwin::max78 {

// Numbers as registers take them: one bit, and the bits of a number.
constexpr uint32_t bit(int n, bool on = true) { return on ? 1U << n : 0U; }
constexpr uint32_t u(int64_t x) { return static_cast<uint32_t>(x); }

enum class LayerReg : uint8_t {
#define LAYER_REG(name, small, large, meaning) name,
#include "targets/max78/chip/regs.def"
#undef LAYER_REG
};

enum class GlobalReg : uint8_t {
#define GLOBAL_REG(name, small, large, meaning) name,
#include "targets/max78/chip/regs.def"
#undef GLOBAL_REG
};

enum class Field : uint8_t {
#define FIELD(reg, name, low, small, large, meaning) reg##_##name,
#include "targets/max78/chip/regs.def"
#undef FIELD
};

struct RegInfo {
  std::string_view name;
  int small = -1, large = -1;  // numbers on MAX78000 and MAX78002; -1: none
  std::string_view meaning;
};

struct FieldInfo {
  std::string_view reg, name;
  int low = 0;
  int small = 0, large = 0;  // bits on MAX78000 and MAX78002; 0: none
  std::string_view meaning;
};

std::span<const RegInfo> layer_regs();
std::span<const RegInfo> global_regs();
std::span<const FieldInfo> reg_fields();
std::string_view name(LayerReg reg);
std::string_view name(GlobalReg reg);

// A field of a register's value; 0 where the chip does not have it.
uint32_t field(const Limits& chip, Field field, uint32_t value);

// Byte addresses. The chip must have the register.
uint32_t address(const Limits& chip, LayerReg reg, int group, int layer);
uint32_t address(const Limits& chip, GlobalReg reg, int group);
bool has(const Limits& chip, LayerReg reg);

}  // namespace edgetwin::max78
