// Any sequence of bus accesses: the machine neither crashes nor runs past its limits. Accesses are
// drawn towards what exists, registers above all.
#include <cstdlib>

#include "targets/max78/chip/regs.h"
#include "targets/max78/machine/machine.h"

namespace {

using namespace edgetwin;
using namespace edgetwin::max78;

class Bytes8 {
 public:
  Bytes8(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  uint32_t byte() { return empty() ? 0 : *at_++; }
  uint32_t word() {
    uint32_t v = byte();
    v |= byte() << 8;
    v |= byte() << 16;
    return v | byte() << 24;
  }

 private:
  const uint8_t *at_, *end_;
};

uint32_t any_address(Bytes8& in, const Limits& chip) {
  const auto kind = in.byte() % 8;
  const auto group = static_cast<int>(in.byte() % 4);
  const auto index = in.byte();
  switch (kind) {
    case 0:
      return in.word();
    case 1:
      return chip.data_address(group * 4 + static_cast<int>(index % 4)) + in.byte() * 4;
    case 2:
      return chip.kernel_address(group * 16 + static_cast<int>(index % 16), 0) + in.byte() * 4;
    case 3:
      return chip.bias_address(group) + index * 4;
    case 4:
      return address(chip, static_cast<GlobalReg>(index % global_regs().size()), 0);
    case 5:
      return kFifoBase + index % 6 * 4;
    default: {
      const auto reg = static_cast<LayerReg>(index % layer_regs().size());
      if (!has(chip, reg)) return chip.group(group);
      return address(chip, reg, group, static_cast<int>(in.byte() % 8));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Bytes8 in(data, size);
  MachineOptions options;
  options.step_limit = 5000;
  options.multiply_limit = 20'000'000;
  options.keep_sums = (in.byte() & 1U) != 0;
  Machine machine((in.byte() & 1U) != 0 ? Device::max78002 : Device::max78000, options);
  for (int i = 0; i < 2000 && !in.empty(); ++i) {
    const uint32_t at = any_address(in, machine.chip());
    const auto what = in.byte() % 16;
    if (what == 0) {
      machine.read32(at);
    } else if (what == 1) {
      machine.write8(at | 1U, 1);
    } else {
      machine.write32(at & ~3U, in.word());
    }
    if (machine.running()) machine.run();
    machine.origin(at);
    machine.accumulator(at, 1);
  }
  machine.end_of_input();
  for (const Finding& f : machine.findings()) {
    if (f.message.empty() || f.count == 0) std::abort();
  }
  // One step more than the limit may be in work when it is noticed.
  if (machine.steps() > options.step_limit + 100'000) std::abort();
  return 0;
}
