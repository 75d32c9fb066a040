#include "targets/max78/machine/machine.h"

#include <algorithm>

#include "targets/max78/machine/bus.h"

namespace edgetwin::max78 {

struct Machine::Impl {
  Impl(Device device, const MachineOptions& options)
      : core(chip_limits(device), options),
        fifo(core),
        schedule(core, fifo),
        bus(core, fifo, schedule) {}

  Core core;
  FifoInput fifo;
  Schedule schedule;
  Bus bus;
};

Machine::Machine(Device device, const MachineOptions& options)
    : impl_(std::make_unique<Impl>(device, options)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&&) noexcept = default;
Machine& Machine::operator=(Machine&&) noexcept = default;

const Limits& Machine::chip() const { return impl_->core.chip; }
bool Machine::maps(uint32_t address) const { return impl_->bus.maps(address); }
void Machine::write32(uint32_t address, uint32_t value) { impl_->bus.write32(address, value); }
void Machine::write8(uint32_t address, uint8_t value) { impl_->bus.write8(address, value); }
uint32_t Machine::read32(uint32_t address) { return impl_->bus.read32(address); }
uint32_t Machine::peek32(uint32_t address) const {
  return impl_->bus.value_at(address).value_or(0);
}

MachineState Machine::run(uint64_t steps) { return impl_->schedule.run(steps); }
MachineState Machine::state() const { return impl_->schedule.state(); }
bool Machine::running() const {
  return state() == MachineState::running || state() == MachineState::waiting;
}
bool Machine::interrupt() const {
  return impl_->core.regs.field(impl_->schedule.master(), Field::ctl_interrupt, GlobalReg::ctl) !=
         0;
}
bool Machine::fifo_full(int fifo) const {
  return fifo >= 0 && fifo < kGroups && impl_->fifo.full(fifo);
}
uint64_t Machine::steps() const { return impl_->core.steps; }
uint64_t Machine::multiplications() const { return impl_->core.products; }
int Machine::layers_done() const { return impl_->core.layers_done; }
void Machine::end_of_input() { impl_->schedule.end_of_input(); }
void Machine::set_hook(MachineHook hook) { impl_->core.hook = std::move(hook); }
const std::vector<Finding>& Machine::findings() const { return impl_->core.findings.all(); }
const FieldSet& Machine::fields_read() const { return impl_->core.seen; }

WordOrigin Machine::origin(uint32_t address) const {
  WordOrigin origin;
  const Core& core = impl_->core;
  const auto p = impl_->bus.data_place(address);
  if (!p) return origin;
  origin.writer = core.data.writer(*p);
  origin.step = core.data.step(*p);
  const auto found = core.records.find(origin.writer);
  if (found == core.records.end() || core.data.item(*p) < 0) return origin;
  const LayerRecord& r = found->second;
  const int64_t passes = std::max(r.config.out_passes, 1);
  const int columns = std::max(r.config.out_columns(), 1);
  origin.pixel = core.data.item(*p) / passes;
  origin.pass = static_cast<int>(core.data.item(*p) % passes);
  origin.row = static_cast<int>(origin.pixel / columns);
  origin.column = static_cast<int>(origin.pixel % columns);
  origin.wide = r.config.wide;
  for (const OutWord& w : r.words) {
    const int64_t mask = (int64_t{1} << core.chip.pointer_shift) - 1;
    if (w.pass != origin.pass) continue;
    if (static_cast<int>(w.pointer >> core.chip.pointer_shift) != p->instance) continue;
    // Four words of a 32-bit output share pixel, pass and data memory.
    const int64_t offset = (w.pointer & mask) + origin.pixel * r.pixel_step;
    if (r.config.wide && offset != p->word) continue;
    for (size_t b = 0; b < 4; ++b) {
      if (w.source[b] >= 0) origin.channels[b] = r.channels[static_cast<size_t>(w.source[b])];
    }
  }
  return origin;
}

std::vector<Machine::InputWords> Machine::inputs_of(int layer) const {
  std::vector<InputWords> all;
  const auto found = impl_->core.records.find(layer);
  if (found == impl_->core.records.end()) return all;
  for (const auto& [writer, share] : found->second.inputs) {
    all.push_back({writer, share.words, share.address, share.step});
  }
  return all;
}

std::optional<int64_t> Machine::accumulator(uint32_t address, int byte) const {
  const auto p = impl_->bus.data_place(address);
  if (!p || byte < 0 || byte > 3) return std::nullopt;
  const int64_t* sums = impl_->core.sums_at(*p);
  if (sums == nullptr || impl_->core.data.writer(*p) < 0 || sums[byte] == kNoSum) {
    return std::nullopt;
  }
  return sums[byte];
}

}  // namespace edgetwin::max78
