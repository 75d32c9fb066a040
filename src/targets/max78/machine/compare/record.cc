#include "targets/max78/machine/compare/record.h"

#include <map>

#include "targets/max78/machine/compare/layer_words.h"
#include "targets/max78/place/region.h"

namespace edgetwin::max78 {
namespace {

Tensor empty_result(const HardwareLayer& l) {
  Tensor t;
  t.dtype = l.output_width == 32 ? DType::int32 : DType::int8;
  t.shape = {l.out_channels, l.out_dim.h, l.out_dim.w};
  t.data.resize(static_cast<size_t>(t.shape.elements()) * (l.output_width == 32 ? 4 : 1));
  return t;
}

void set_element(Tensor& t, int64_t index, int32_t value) {
  const auto at = static_cast<size_t>(index);
  if (t.dtype == DType::int32) {
    t.as<int32_t>()[at] = value;
  } else {
    t.as<int8_t>()[at] = static_cast<int8_t>(value);
  }
}

int64_t pixels_of(const HardwareLayer& l) { return int64_t{l.out_dim.h} * l.out_dim.w; }

}  // namespace

Result<std::vector<LayerResult>> run_recorded(const ProgramText& program, Machine& machine,
                                              const HardwarePlan& plan) {
  std::vector<LayerResult> results;
  std::map<int, size_t> by_number;
  for (const int i : plan.order) {
    by_number[plan.hw_layer(i)] = results.size();
    results.push_back({i, {}, {}, empty_result(plan.layer(i))});
  }
  machine.set_hook([&](const MachineStep& step) {
    const auto found = by_number.find(step.layer);
    if (step.kind != MachineStep::Kind::write || found == by_number.end()) return;
    LayerResult& r = results[found->second];
    const HardwareLayer& l = plan.layer(r.layer);
    for (const WrittenElement& e : written_elements(machine, plan, l, step)) {
      set_element(r.out, e.channel * pixels_of(l) + e.pixel, e.value);
    }
  });
  const Status played = play(program, machine);
  machine.set_hook({});
  if (!played.ok()) return played.error();
  return results;
}

Tensor memory_of(const Machine& machine, const HardwarePlan& plan, const HardwareLayer& l) {
  Tensor t = empty_result(l);
  const Region r = region_of(l);
  for (int pass = 0; pass < r.expand; ++pass) {
    for (const Quad& q : quads_of(r, pass)) {
      for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
        int channel = q.channel;
        for (int b = 0; b < kInstanceProcessors; ++b) {
          if (((q.bits >> b) & 1U) == 0) continue;
          const bool wide = r.width == 32;
          const uint32_t word =
              machine.peek32(region_address(plan, r, pixel, pass, q.quad, wide ? b : 0));
          const auto byte = static_cast<int8_t>(static_cast<uint8_t>(word >> (8 * b)));
          set_element(t, channel++ * r.pixels + pixel,
                      wide ? static_cast<int32_t>(word) : int32_t{byte});
        }
      }
    }
  }
  return t;
}

}  // namespace edgetwin::max78
