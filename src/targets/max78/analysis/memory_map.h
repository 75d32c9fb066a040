// Who uses which memory, as text for people. Source: specification "memory" 3, 5 and 6.
#pragma once

#include <string>
#include <vector>

#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// A layer's place in the memories. Byte ranges hold for every data memory of the map.
struct LayerPlace {
  int layer = 0;
  uint64_t in_map = 0, out_map = 0;
  int64_t in_begin = 0, in_end = 0;  // bytes, end excluded
  int64_t out_begin = 0, out_end = 0;
  int64_t kernel_begin = 0, kernel_end = 0;  // columns; equal: none
  int kernels_of = -1;                       // the layer whose kernels it uses
  std::vector<std::pair<int, int>> biases;   // group, offset
};

// Data in data memory: the network's input, or a layer's results. `written` and `read` count the
// steps of execution; the input is there before step 0.
struct DataRegion {
  int layer = -1;  // that writes it; -1: the input
  uint64_t map = 0;
  int64_t begin = 0, end = 0;   // bytes, end excluded
  int64_t step = 4;             // every so many bytes a word of it, where others lie between
  int written = -1, read = -1;  // the last step that needs it; results of the network: the last one
  bool streams = false;         // a ring: its bytes are used again while it is read
  uint64_t instances() const;   // bit i: data memory i
};
std::vector<DataRegion> data_regions(const Planning& plan);

// Two regions on the same bytes, in the order of their writing.
struct Overlap {
  size_t first = 0, second = 0;  // of data_regions
  int64_t begin = 0, end = 0;
  uint64_t instances = 0;
  bool harmful = false;  // the first one is still needed when the second one is written
  // By its last reader: right as long as the layer writes after what it reads (--overlap-data).
  bool in_place = false;
};
std::vector<Overlap> overlaps(const std::vector<DataRegion>& regions);

// Whether data is lost by it: it is harmful, and the rules refuse that the layer writes over what
// it reads where it does so.
bool is_lost(const Planning& plan, const std::vector<DataRegion>& regions, const Overlap& overlap);

// "layer 3", "the input".
std::string region_name(const DataRegion& region);
// "bytes 00800-00fff of data memories 0-3: layer 2 writes over layer 0 while layer 2 reads it".
std::string overlap_text(const Planning& plan, const std::vector<DataRegion>& regions,
                         const Overlap& overlap);
// "0-3, 8".
std::string instances_text(uint64_t instances);

// Layers in the order of execution. Kernels and biases only where they have their place.
std::vector<LayerPlace> layer_places(const Planning& plan);

// A table of the places, who overlaps whom and when, and how full each kernel and bias memory is.
// Of a plan whose layers have their sizes; kernels and biases only where they have their place.
std::string memory_map(const Planning& plan);

}  // namespace edgetwin::max78
