// Registers of a group: reset, memory tests, start. Source: specification "registers" 5.1 to 5.3.
#include <algorithm>

#include "targets/max78/chip/regs.h"
#include "targets/max78/generate/generate.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

struct Writer {
  const Plan& plan;
  Function& f;

  void write(uint32_t to, uint32_t value, bool always = false) {
    if (value != 0 || always || plan.options.write_zero_registers) {
      f.accesses.push_back({.kind = Kind::write, .address = to, .value = value});
    }
  }
  void wait(uint32_t at, uint32_t mask) {
    f.accesses.push_back({.kind = Kind::wait, .address = at, .value = mask, .mask = mask});
  }
  void check(uint32_t at, uint32_t error) {
    f.accesses.push_back({.kind = Kind::read, .address = at, .mask = error});
  }
  uint32_t at(GlobalReg reg, int g) const { return address(*plan.chip, reg, g); }
};

bool pipelined(const Plan& plan) {
  return plan.chip->has_pipeline && plan.options.pipeline.value_or(true);
}

uint32_t idle_control(const Plan& plan) {
  const Options& o = plan.options;
  return bit(3) | u(o.ready_sel) << 1 | bit(15, o.use_fifo()) | bit(20, o.mexpress) |
         bit(5, plan.chip->has_pipeline && !pipelined(plan));
}

// The self test that clears a memory.
struct MemoryTest {
  uint32_t start, done, error;
};
constexpr MemoryTest kSmallTests[] = {{0x1, 0x08040000, 0x4000},
                                      {0x4, 0x08080000, 0x8000},
                                      {0x10, 0x08100000, 0x10000},
                                      {0x40, 0x08200000, 0x20000}};
constexpr MemoryTest kLargeTests[] = {{0x1001, 0x40000, 0x4000},
                                      {0x2004, 0x80000, 0x8000},
                                      {0x3010, 0x100000, 0x10000},
                                      {0x1c40, 0x200000, 0x20000}};

void clear_memories(Writer& w) {
  for (const MemoryTest& t : w.plan.small() ? kSmallTests : kLargeTests) {
    for (int g = 0; g < kGroups; ++g) w.write(w.at(GlobalReg::sram_test, g), t.start);
    for (int g = 0; g < kGroups; ++g) w.wait(w.at(GlobalReg::sram_test, g), t.done);
    for (int g = 0; g < kGroups; ++g) w.check(w.at(GlobalReg::sram_test, g), t.error);
    for (int g = 0; g < kGroups; ++g) w.write(w.at(GlobalReg::sram_test, g), 0, true);
  }
}

// --init-tram. The vendor's firmware clears as many bytes as there are entries, a quarter, and by
// bytes, which the bus does not take; its simulated programs clear every word, as here.
void clear_rows(Writer& w, int group) {
  const Limits& chip = *w.plan.chip;
  for (int p = 0; p < kGroupProcessors; ++p) {
    Access a{.kind = Kind::write, .address = chip.row_address(group * kGroupProcessors + p)};
    a.words.assign(static_cast<size_t>(chip.tram_entries) - 1, 0);
    w.f.accesses.push_back(std::move(a));
  }
}

void reset_large(Writer& w) {
  const Plan& plan = w.plan;
  bool biases = false;
  for (const int i : plan.order) biases = biases || plan.layer(i).bias_given();
  for (const int g : plan.groups) {
    w.write(w.at(GlobalReg::ctl, g), bit(3) | bit(5, !pipelined(plan)));
  }
  w.write(kAonControl, u(plan.options.ready_sel_aon), true);
  for (const int g : plan.groups) w.write(w.at(GlobalReg::sram, g), 0x40e);
  for (const int g : plan.groups) w.write(w.at(GlobalReg::sram_test, g), biases ? 0x1c80 : 0x1880);
  for (const int g : plan.groups) w.wait(w.at(GlobalReg::sram_test, g), 1U << 25);
  for (const int g : plan.groups) w.write(w.at(GlobalReg::sram_test, g), 0, true);
}

}  // namespace

Function cnn_init(const Plan& plan) {
  Function f{"cnn_init", {}};
  Writer w{plan, f};
  const auto last = static_cast<uint32_t>(plan.hw_layer(plan.last));
  const auto first = static_cast<uint32_t>(plan.hw_layer(plan.start));
  if (plan.small()) {
    w.write(kAonControl, u(plan.options.ready_sel_aon), true);
  } else {
    reset_large(w);
  }
  for (const int g : plan.groups) {
    if (plan.options.init_tram) clear_rows(w, g);
    w.write(w.at(GlobalReg::ctl, g), idle_control(plan));
    if (plan.small()) w.write(w.at(GlobalReg::sram, g), 0x40e);
    w.write(w.at(GlobalReg::lcnt_max, g), last | first << 8);
  }
  if (plan.options.zero_sram) clear_memories(w);
  return f;
}

Function cnn_load_bias(const Plan& plan) {
  Function f{"cnn_load_bias", {}};
  for (int g = 0; g < kGroups; ++g) {
    const auto& biases = plan.biases[static_cast<size_t>(g)];
    if (biases.empty()) continue;
    Access a{.kind = Kind::write, .address = plan.chip->bias_address(g), .value = biases[0]};
    a.words.assign(biases.begin() + 1, biases.end());
    f.accesses.push_back(std::move(a));
  }
  return f;
}

Function cnn_start(const Plan& plan) {
  Function f{"cnn_start", {}};
  Writer w{plan, f};
  const Options& o = plan.options;
  const LayerPlan& first = plan.layer(plan.start);
  const bool fifo = o.use_fifo(), streams = plan.streams();
  bool binary = false;
  for (const int i : plan.order) binary = binary || plan.layer(i).quantization == ai8x::kBinary;
  uint32_t v = bit(14, streams) | bit(13, o.avg_pool_rounding) | bit(11, fifo) |
               bit(19, fifo && streams) | bit(3) | bit(20, o.mexpress) | bit(21, o.simple1b) |
               bit(30, binary) | bit(31, o.fast_fifo_quad) | bit(8, o.one_shot) |
               bit(4, o.ext_rdy) | u(o.ready_sel) << 1;
  if (!plan.small()) {
    v |= bit(5, !pipelined(plan)) | bit(6, first.streaming && first.yaml->big_data) |
         bit(7, !plan.network->snoop.empty());
  }
  const int master = plan.groups.front();
  const uint64_t map = first.processors;
  const bool fifo_group = o.use_fast_fifo() && !(map != 1 && (map & 0xe) == 0);
  const auto fed = [&](int g) { return fifo && (group_bits(map, g) & 0xfU) != 0; };
  const uint32_t fast = bit(22, o.use_fast_fifo()) | bit(23, fifo_group);
  for (const int g : plan.groups) {
    uint32_t own = bit(15, fifo) | bit(11) | bit(0, g != master);
    if (fed(g)) own |= fast;
    w.write(w.at(GlobalReg::ctl, g), v | own | static_cast<uint32_t>(master) << 9);
  }
  if (o.powerdown) {
    uint32_t unused = u(o.ready_sel_aon);
    for (int g = 0; g < kGroups; ++g) {
      unused |=
          bit(12 + g, std::find(plan.groups.begin(), plan.groups.end(), g) == plan.groups.end());
    }
    w.write(kAonControl, unused);
  }
  if (fed(master)) v |= bit(15) | fast;
  w.write(w.at(GlobalReg::ctl, master), v | bit(0));
  return f;
}

}  // namespace edgetwin::max78
