// Where results are: specification "memory" 3.1 and 4.
#include "targets/max78/place/region.h"

#include <algorithm>

namespace edgetwin::max78 {

Region region_of(const HardwareLayer& l) {
  return {l.out_processors, l.out_channels,    int64_t{l.out_dim.h} * l.out_dim.w,
          l.out_offset,     l.yaml->write_gap, l.output_width,
          l.out_expand,     l.out_thresh};
}

Region region_of(const ai8x::Unload& u) {
  Region r{u.processors, u.channels, int64_t{u.dim.h} * u.dim.w, u.offset, u.write_gap, 8, 1, 1};
  r.expand = (u.channels + kProcessors - 1) / kProcessors;
  r.thresh = (u.channels + r.expand - 1) / r.expand;
  if (u.channels > kProcessors) r.thresh = std::min((r.thresh + 3) & ~3, kProcessors);
  return r;
}

int64_t word_index(const Region& r, int64_t pixel, int pass, int byte) {
  if (r.width == 32) return (pixel * 4 * r.expand + 4 * pass) * (r.write_gap + 1) + byte;
  return (pixel * r.expand + pass) * (r.write_gap + 1);
}

uint32_t region_address(const ResolvedNetwork& plan, const Region& r, int64_t pixel, int pass,
                        int quad, int byte) {
  return plan.chip->data_address(quad) + static_cast<uint32_t>(r.offset) +
         4 * static_cast<uint32_t>(word_index(r, pixel, pass, byte));
}

std::vector<Quad> quads_of(const Region& r, int pass) {
  std::vector<Quad> quads;
  int left = std::min(r.thresh, r.channels - pass * r.thresh), channel = pass * r.thresh;
  for (int q = 0; q < kProcessors / kInstanceProcessors && left > 0; ++q) {
    uint32_t bits = static_cast<uint32_t>(r.map >> (4 * q)) & 0xfU;
    while (count_bits(bits) > left) bits &= ~(1U << highest_bit(bits));
    if (bits == 0) continue;
    quads.push_back({q, bits, channel});
    channel += count_bits(bits);
    left -= count_bits(bits);
  }
  return quads;
}

// True if the byte swapper reads the result.
bool swaps_bytes(const ResolvedNetwork& plan, const Region& r) {
  return plan.options.mlator && r.width == 8 && r.pixels >= 4 &&
         (r.channels == 1 || r.pixels % 4 == 0);
}

uint32_t output_address(const ResolvedNetwork& plan, const HardwareLayer& layer, int64_t pixel,
                        int pass, int quad, int byte) {
  return region_address(plan, region_of(layer), pixel, pass, quad, byte);
}

std::vector<int> output_layers(const ResolvedNetwork& plan) {
  std::vector<int> all;
  for (const int i : plan.order) {
    if (plan.layer(i).output || i == plan.last) all.push_back(i);
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<Region> unload_regions(const HardwarePlan& plan) {
  std::vector<Region> regions;
  for (const auto& u : plan.network->unload) regions.push_back(region_of(u));
  if (!regions.empty()) return regions;
  for (const int i : output_layers(plan)) regions.push_back(region_of(plan.layer(i)));
  return regions;
}

}  // namespace edgetwin::max78
