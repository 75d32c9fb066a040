#include "targets/max78/machine/bus.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr uint32_t kFifoBlock = 0x18;  // control, status, four data registers
constexpr uint32_t kFastBlock = 0x18;
constexpr uint32_t kFastData = 0x10, kFastStatus = 0x04;
constexpr int kFifoEnableBit = 12;

bool within(uint32_t address, uint32_t base, uint32_t size) {
  return address >= base && address - base < size;
}

}  // namespace

std::optional<int> Bus::group_of(uint32_t address) const {
  const uint32_t base = core_.chip.group(0);
  if (address < base) return std::nullopt;
  const uint32_t g = (address - base) / core_.chip.group_stride;
  if (g >= static_cast<uint32_t>(kGroups)) return std::nullopt;
  return static_cast<int>(g);
}

bool Bus::maps(uint32_t address) const {
  return group_of(address).has_value() || within(address, kFifoBase, kFifoBlock) ||
         within(address, kAonControl, 4) || within(address, kFastFifoBase, kFastBlock);
}

std::optional<DataPlace> Bus::data_place(uint32_t address) const {
  const auto g = group_of(address);
  if (!g) return std::nullopt;
  const Limits& chip = core_.chip;
  const uint32_t offset = address - chip.group(*g);
  if (offset < chip.data_offset) return std::nullopt;
  const uint32_t at = offset - chip.data_offset;
  const uint32_t i = at / chip.instance_stride, word = at % chip.instance_stride / 4;
  if (i >= 4 || word >= static_cast<uint32_t>(chip.instance_words)) return std::nullopt;
  return DataPlace{*g * 4 + static_cast<int>(i), word};
}

std::optional<Bus::InProcessor> Bus::kernel_place(uint32_t address) const {
  const auto g = group_of(address);
  if (!g) return std::nullopt;
  const Limits& chip = core_.chip;
  const uint32_t offset = address - chip.group(*g);
  if (!within(offset, chip.kernel_offset, chip.kernel_stride * kGroupProcessors)) {
    return std::nullopt;
  }
  const uint32_t at = offset - chip.kernel_offset;
  return InProcessor{*g * kGroupProcessors + static_cast<int>(at / chip.kernel_stride),
                     at % chip.kernel_stride};
}

std::optional<size_t> Bus::tram_place(uint32_t address) const {
  const auto g = group_of(address);
  if (!g) return std::nullopt;
  const Limits& chip = core_.chip;
  const uint32_t stride = chip.device == Device::max78000 ? 0x4000U : 0x10000U;
  const uint32_t offset = address - chip.group(*g);
  if (!within(offset, chip.tram_offset, stride * kGroupProcessors)) return std::nullopt;
  const uint32_t at = offset - chip.tram_offset;
  const uint32_t entry = at % stride / 4;
  if (entry >= static_cast<uint32_t>(chip.tram_entries)) return std::nullopt;
  return (static_cast<size_t>(*g) * kGroupProcessors + at / stride) *
             static_cast<size_t>(chip.tram_entries) +
         entry;
}

std::optional<int64_t> Bus::bias_index(uint32_t address, int group) const {
  const uint32_t base = core_.chip.bias_address(group);
  if (!within(address, base, static_cast<uint32_t>(4 * core_.chip.bias_bytes))) {
    return std::nullopt;
  }
  return (address - base) / 4;
}

void Bus::unmapped(uint32_t address, bool write) {
  core_.findings.add(write ? MachineEvent::unmapped_write : MachineEvent::unmapped_read, kNobody,
                     kHost, address, core_.steps, [&] {
                       return std::string(write ? "a write to " : "a read of ") +
                              hex_text(address) + ", where the " +
                              std::string(name(core_.chip.device)) + " has nothing";
                     });
}

// Registers and kernels belong in front of the start.
void Bus::late_write(uint32_t address) {
  const MachineState s = schedule_.state();
  if (s != MachineState::running && s != MachineState::waiting) return;
  core_.findings.add(MachineEvent::wrong_order, kNobody, kHost, address, core_.steps,
                     [&] { return "a write to " + hex_text(address) + " while layers run"; });
}

void Bus::write_kernel(uint32_t address, const InProcessor& at, uint32_t value) {
  late_write(address);
  const int group = at.processor / kGroupProcessors;
  core_.seen.set(static_cast<size_t>(Field::ctl_packed_kernels));
  const bool packed = core_.regs.field(group, Field::ctl_packed_kernels, GlobalReg::ctl) != 0;
  const bool there = packed
                         ? core_.kernels.write_packed(at.processor, value)
                         : core_.kernels.write_word(at.processor, static_cast<int>(at.offset / 16),
                                                    static_cast<int>(at.offset / 4 % 4), value);
  if (!there) unmapped(address, true);
}

bool Bus::write_memory(uint32_t address, uint32_t value, int group) {
  if (const auto p = data_place(address)) {
    const int before = core_.data.writer(*p);
    if (core_.options.find_dead_results && before >= 0 && !core_.data.was_read(*p)) {
      // Results are read by the processor after the run: it may load the next input over them.
      core_.data.mark_read(*p);
    }
    core_.data.write(*p, value, kHost, core_.steps, -1);
    return true;
  }
  if (const auto k = kernel_place(address)) {
    write_kernel(address, *k, value);
    return true;
  }
  if (const auto i = bias_index(address, group)) {
    late_write(address);
    core_.biases.write(group, *i, static_cast<uint8_t>(value));
    return true;
  }
  if (const auto t = tram_place(address)) {
    if (tram_.empty()) {
      tram_.assign(size_t{kProcessors} * static_cast<size_t>(core_.chip.tram_entries), 0);
    }
    tram_[*t] = value;
    return true;
  }
  return false;
}

void Bus::push_fifo(int fifo, uint32_t value) {
  const bool on = ((fifo_control_ >> (kFifoEnableBit + fifo)) & 1U) != 0;
  if (on && fifo_.push(fifo, value)) return;
  core_.findings.add(MachineEvent::fifo_overflow, kNobody, kHost, 0, core_.steps, [&] {
    return "FIFO " + std::to_string(fifo) + (on ? " is full" : " is not enabled") +
           ", a word written to it is lost";
  });
}

void Bus::write_outside(uint32_t address, uint32_t value) {
  if (address == kFifoBase) {
    fifo_control_ = value;
  } else if (within(address, kFifoBase + 8, 16)) {
    push_fifo(static_cast<int>((address - kFifoBase - 8) / 4), value);
  } else if (address == kFastFifoBase + kFastData) {
    if (fifo_.push_fast(value)) return;
    core_.findings.add(MachineEvent::fifo_overflow, kNobody, kHost, address, core_.steps,
                       [] { return "the fast FIFO is full, a word written to it is lost"; });
  } else if (within(address, kFastFifoBase, kFastBlock)) {
    fast_[(address - kFastFifoBase) / 4] = value;
  } else if (address == kAonControl) {
    power_ = value;
  } else {
    unmapped(address, true);
  }
}

void Bus::write32(uint32_t address, uint32_t value) {
  const auto g = group_of(address);
  if ((address & 3U) != 0) return unmapped(address, true);
  if (!g) return write_outside(address, value);
  if (const auto slot = core_.regs.find(address - core_.chip.group(*g))) {
    return write_register(*g, *slot, value);
  }
  if (!write_memory(address, value, *g)) unmapped(address, true);
}

void Bus::write8(uint32_t address, uint8_t value) {
  const auto k = kernel_place(address);
  if (k && (address & 3U) == 1 && value == 1) {
    late_write(address);
    const int column = static_cast<int>(k->offset / 4);
    if (!core_.kernels.set_packed(k->processor, column)) unmapped(address, true);
    return;
  }
  core_.findings.add(MachineEvent::byte_write, kNobody, kHost, address, core_.steps, [&] {
    return "a byte was written to " + hex_text(address) +
           "; the memories of the accelerator take words only";
  });
}

// The self tests clear what they test.
void Bus::run_tests(int group, uint32_t value) {
  const uint32_t test = value & 0xffU;
  if (test == 0) return;
  core_.findings.add(MachineEvent::memory_test, kNobody, kHost, 0, core_.steps, [&] {
    return "a self test (SRAM_TEST " + hex_text(value) + ") clears memories of group " +
           std::to_string(group);
  });
  if ((test & 0x1U) != 0) core_.data.clear(group * 4, 4, core_.steps);
  if ((test & 0x4U) != 0) core_.kernels.clear(group);
  if ((test & 0x40U) != 0) core_.biases.clear(group);
  if ((test & 0x80U) != 0) core_.regs.clear_layers(group);
}

void Bus::write_control(int group, uint32_t before, uint32_t value) {
  const auto get = [&](Field f, uint32_t v) { return field(core_.chip, f, v); };
  Swapper& s = swappers_[static_cast<size_t>(group)];
  s.on = get(Field::ctl_byte_swap, value) != 0;
  if (s.on) {
    s.byte = static_cast<int>(get(Field::ctl_byte, value));
    s.pointer = core_.regs.get(group, LayerReg::wptr_base, 0);
    s.step = core_.regs.get(group, LayerReg::lctl2, 0) + 1;
    s.primed = false;
    return;
  }
  for (const Field f : {Field::ctl_enable, Field::ctl_master, Field::ctl_clock, Field::ctl_one_shot,
                        Field::ctl_interrupt}) {
    core_.seen.set(static_cast<size_t>(f));
  }
  const bool on = get(Field::ctl_enable, value) != 0;
  const bool was_on = get(Field::ctl_enable, before) != 0;
  const bool leads = static_cast<int>(get(Field::ctl_master, value)) == group;
  if (on && leads && (!was_on || schedule_.state() == MachineState::idle)) {
    return schedule_.start(group);
  }
  if (on && !was_on) late_write(core_.chip.group(group));
  if (!on && was_on && group == schedule_.master()) schedule_.stop();
}

void Bus::write_register(int group, const Registers::Slot& slot, uint32_t value) {
  const uint32_t before = core_.regs.get(group, slot);
  if (slot.kind == Registers::Slot::Kind::layer) late_write(core_.chip.group(group));
  core_.regs.set(group, slot, value);
  if (slot.kind != Registers::Slot::Kind::global) return;
  if (slot.global_reg == GlobalReg::ctl) write_control(group, before, value);
  if (slot.global_reg == GlobalReg::sram_test) run_tests(group, value);
}

uint32_t Bus::swapped(int group) {
  Swapper& s = swappers_[static_cast<size_t>(group)];
  if (!s.on) return 0;
  if (!s.primed) {
    s.primed = true;
    return 0;
  }
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i, s.pointer += s.step) {
    const DataPlace p = core_.place(s.pointer);
    if (!core_.data.inside(p)) continue;
    core_.data.mark_read(p);
    value |= (core_.data.value(p) >> (8 * s.byte) & 0xffU) << (8 * i);
  }
  return value;
}

std::optional<uint32_t> Bus::value_at(uint32_t address) const {
  if (address == kFifoBase) return fifo_control_;
  if (address == kFifoBase + 4) {
    uint32_t full = 0;
    for (int f = 0; f < kGroups; ++f) full |= (fifo_.full(f) ? 1U : 0U) << f;
    return full;
  }
  if (within(address, kFifoBase + 8, 16)) return 0;
  if (address == kFastFifoBase + kFastStatus) return fifo_.any_full() ? 2U : 0U;
  if (within(address, kFastFifoBase, kFastBlock)) return fast_[(address - kFastFifoBase) / 4];
  if (address == kAonControl) return power_;
  const auto g = group_of(address);
  if (!g || (address & 3U) != 0) return std::nullopt;
  if (const auto slot = core_.regs.find(address - core_.chip.group(*g))) {
    const uint32_t value = core_.regs.get(*g, *slot);
    if (slot->kind != Registers::Slot::Kind::global || slot->global_reg != GlobalReg::sram_test) {
      return value;
    }
    // Every test is done at once, without errors.
    const uint32_t done = (value & 0x1U) << 18 | (value & 0x4U) << 17 | (value & 0x10U) << 16 |
                          (value & 0x40U) << 15 | (value & 0x80U) << 18;
    const uint32_t all = core_.chip.device == Device::max78000 && done != 0 ? 0x08000000U : 0;
    return value | done | all;
  }
  if (const auto p = data_place(address)) return core_.data.value(*p);
  if (const auto k = kernel_place(address)) {
    return core_.kernels.read_word(k->processor, static_cast<int>(k->offset / 16),
                                   static_cast<int>(k->offset / 4 % 4));
  }
  if (const auto i = bias_index(address, *g)) {
    return static_cast<uint8_t>(core_.biases.value(*g, *i));
  }
  if (const auto t = tram_place(address)) return tram_.empty() ? 0 : tram_[*t];
  return std::nullopt;
}

uint32_t Bus::read32(uint32_t address) {
  const auto g = group_of(address);
  if (g) {
    const auto slot = core_.regs.find(address - core_.chip.group(*g));
    if (slot && slot->kind == Registers::Slot::Kind::global &&
        slot->global_reg == GlobalReg::mlat) {
      return swapped(*g);
    }
  }
  if (const auto p = data_place(address)) core_.data.mark_read(*p);
  const auto value = value_at(address);
  if (!value) unmapped(address, false);
  return value.value_or(0);
}

}  // namespace edgetwin::max78
