// How the firmware reads results. Source: specification "codegen" 5.
#include "targets/max78/place/region.h"

#include "targets/max78/chip/regs.h"
#include "targets/max78/generate/generate.h"

namespace edgetwin::max78 {
namespace {

class Unloader {
 public:
  explicit Unloader(const Plan& plan) : plan_(plan) {}

  void region(const Region& r) {
    const bool swaps = swaps_bytes(plan_, r);
    for (int e = 0; e < r.expand; ++e) {
      for (const Quad& q : quads_of(r, e)) {
        if (swaps) {
          swapped(r, e, q);
        } else {
          words(r, e, q);
        }
      }
    }
  }

  std::vector<UnloadAccess> take() { return std::move(all_); }

 private:
  void words(const Region& r, int pass, const Quad& q) {
    for (int64_t pixel = 0; pixel < r.pixels; ++pixel) {
      if (r.width == 8) {
        read(source(r, pixel, pass, q.quad, 0));
        continue;
      }
      for (int b = 0; b < 4; ++b) {
        if (((q.bits >> b) & 1U) != 0) read(source(r, pixel, pass, q.quad, b));
      }
    }
  }

  uint32_t source(const Region& r, int64_t pixel, int pass, int quad, int byte) const {
    if (!plan_.options.upstream_bugs) return region_address(plan_, r, pixel, pass, quad, byte);
    // The vendor's generator multiplies the place of the data memory by the gap as well.
    const uint32_t base = plan_.chip->data_address(0);
    const uint32_t instance = plan_.chip->data_address(quad) - base;
    return base + instance * static_cast<uint32_t>(r.write_gap + 1) +
           static_cast<uint32_t>(r.offset) +
           4 * static_cast<uint32_t>(word_index(r, pixel, pass, byte));
  }

  void read(uint32_t address) {
    if (!all_.empty()) {
      UnloadAccess& last = all_.back();
      if (!last.write && !last.fixed &&
          last.address + 4 * static_cast<uint32_t>(last.count) == address) {
        ++last.count;
        return;
      }
    }
    all_.push_back({.address = address});
  }

  // The byte swapper gives four pixels of a channel at a time.
  void swapped(const Region& r, int pass, const Quad& q) {
    const int g = q.quad / 4;
    const uint32_t control = address(*plan_.chip, GlobalReg::ctl, g);
    for (uint32_t b = 0; b < 4; ++b) {
      if (((q.bits >> b) & 1U) == 0) continue;
      // The vendor's generator writes the number of the pixel, 0, instead of the place.
      const uint32_t place = plan_.options.upstream_bugs
                                 ? 0
                                 : (static_cast<uint32_t>(r.offset / 4) +
                                    static_cast<uint32_t>(pass * (r.write_gap + 1))) |
                                       static_cast<uint32_t>(q.quad) << plan_.chip->pointer_shift;
      write(address(*plan_.chip, LayerReg::wptr_base, g, 0), place);
      write(address(*plan_.chip, LayerReg::lctl2, g, 0), static_cast<uint32_t>(pass));
      write(control, 1U << 16 | b << 17 | 1U << 3);
      all_.push_back({.fixed = true,
                      .address = address(*plan_.chip, GlobalReg::mlat, g),
                      .count = 1 + (r.pixels + 3) / 4});
      write(control, 1U << 3);
    }
  }

  void write(uint32_t to, uint32_t value) {
    all_.push_back({.write = true, .address = to, .value = value});
  }

  const Plan& plan_;
  std::vector<UnloadAccess> all_;
};

}  // namespace

std::vector<UnloadAccess> unload_accesses(const Plan& plan) {
  if (!plan.options.unload) return {};
  Unloader unloader(plan);
  for (const Region& r : unload_regions(plan)) unloader.region(r);
  return unloader.take();
}

}  // namespace edgetwin::max78
