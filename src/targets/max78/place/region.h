// Where a result lies in data memory. Source: specification "memory" 3.1.
#pragma once

#include <vector>

#include "targets/max78/place/plan.h"

namespace edgetwin::max78 {

struct Region {
  uint64_t map = 0;
  int channels = 0;
  int64_t pixels = 0;
  int64_t offset = 0;
  int write_gap = 0;
  int width = 8;
  int expand = 1, thresh = 1;
};

Region region_of(const HardwareLayer& layer);
Region region_of(const ai8x::Unload& unload);
// What the unload function copies: the description's list, or the output layers.
std::vector<Region> unload_regions(const HardwarePlan& plan);

// The processors of one data memory that a pass uses.
struct Quad {
  int quad = 0;
  uint32_t bits = 0;  // of the four processors
  int channel = 0;    // of the lowest one
};
std::vector<Quad> quads_of(const Region& region, int pass);

// Words from the region's start; `byte` counts the processors of a quad, 32-bit results only.
int64_t word_index(const Region& region, int64_t pixel, int pass, int byte);
uint32_t region_address(const ResolvedNetwork& plan, const Region& region, int64_t pixel, int pass,
                        int quad, int byte);

// True if the byte swapper reads the region.
bool swaps_bytes(const ResolvedNetwork& plan, const Region& region);

// The layers that are outputs, ascending, the last one among them.
std::vector<int> output_layers(const ResolvedNetwork& plan);

// Where an output pixel's word is: byte address. `quad` counts processors by four, `byte` the
// processor within it (of 32-bit outputs only, else 0).
uint32_t output_address(const ResolvedNetwork& plan, const HardwareLayer& layer, int64_t pixel,
                        int pass, int quad, int byte);

}  // namespace edgetwin::max78
