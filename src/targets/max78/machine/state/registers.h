// The registers of all groups, found by address.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "targets/max78/chip/regs.h"

namespace edgetwin::max78 {

inline constexpr int kSnoopRegisters = 24;

class Registers {
 public:
  struct Slot {
    enum class Kind : uint8_t { layer, global, snoop };
    Kind kind = Kind::layer;
    LayerReg layer_reg{};
    GlobalReg global_reg{};
    int layer = 0;  // of snoop: the number of the register
    size_t index = 0;
  };

  explicit Registers(const Limits& chip);

  int layers() const { return layers_; }
  // `offset`: of the address in its group.
  std::optional<Slot> find(uint32_t offset) const;

  uint32_t get(int group, const Slot& slot) const { return of(group)[slot.index]; }
  void set(int group, const Slot& slot, uint32_t value) { of(group)[slot.index] = value; }
  uint32_t get(int group, LayerReg reg, int layer) const { return of(group)[index(reg, layer)]; }
  uint32_t get(int group, GlobalReg reg) const { return of(group)[index(reg)]; }
  void set(int group, GlobalReg reg, uint32_t value) { of(group)[index(reg)] = value; }
  uint32_t field(int group, Field f, LayerReg reg, int layer) const {
    return max78::field(chip_, f, get(group, reg, layer));
  }
  uint32_t field(int group, Field f, GlobalReg reg) const {
    return max78::field(chip_, f, get(group, reg));
  }
  void clear_layers(int group);

 private:
  size_t index(LayerReg reg, int layer) const {
    return static_cast<size_t>(reg) * static_cast<size_t>(layers_) + static_cast<size_t>(layer);
  }
  size_t index(GlobalReg reg) const { return globals_ + static_cast<size_t>(reg); }
  const std::vector<uint32_t>& of(int g) const { return values_[static_cast<size_t>(g)]; }
  std::vector<uint32_t>& of(int g) { return values_[static_cast<size_t>(g)]; }

  const Limits& chip_;
  int layers_;
  size_t globals_;  // where they begin
  std::array<std::vector<uint32_t>, kGroups> values_;
  std::unordered_map<uint32_t, Slot> slots_;
};

}  // namespace edgetwin::max78
