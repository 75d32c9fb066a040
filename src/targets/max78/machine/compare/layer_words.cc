#include "targets/max78/machine/compare/layer_words.h"

namespace edgetwin::max78 {
namespace {

// -1: a byte without a channel.
int channel_of(const HardwarePlan& plan, const HardwareLayer& l, uint32_t address,
               const WordOrigin& o, int byte) {
  for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
    const uint32_t base = plan.chip->data_address(i);
    if (address < base || address - base >= plan.chip->instance_stride) continue;
    if (o.wide) byte = static_cast<int>((address - base - l.out_offset) / 4 % 4);
    const int p = i * kInstanceProcessors + byte;
    if (!in_map(l.out_processors, p)) return -1;
    const uint64_t before = l.out_processors & ((uint64_t{1} << p) - 1);
    const int c = o.pass * l.out_thresh + count_bits(before);
    return c < l.out_channels ? c : -1;
  }
  return -1;
}

}  // namespace

WrittenElements written_elements(const Machine& machine, const HardwarePlan& plan,
                                 const HardwareLayer& l, const MachineStep& step) {
  WrittenElements elements;
  WordOrigin o = machine.origin(step.address);
  if (l.emulated_eltwise && l.passthrough()) {  // the passes are rows of their own
    o.pass = static_cast<int>(o.pixel % l.out_expand);
    o.pixel /= l.out_expand;
  }
  // Some layers write pixels in front of their output that are never read.
  const int64_t pixel = o.pixel - l.out_ignore / (4 * int64_t{l.out_expand});
  if (pixel < 0 || pixel >= l.out_dim.h * int64_t{l.out_dim.w}) return elements;
  for (int b = 0; b < (o.wide ? 1 : 4); ++b) {
    const int c = channel_of(plan, l, step.address, o, b);
    if (c < 0 || o.channels[b] < 0) continue;
    const int32_t value =
        o.wide ? static_cast<int32_t>(step.value)
               : int32_t{static_cast<int8_t>(static_cast<uint8_t>(step.value >> (8 * b)))};
    elements.all[elements.count++] = {c, pixel, value, b};
  }
  return elements;
}

}  // namespace edgetwin::max78
