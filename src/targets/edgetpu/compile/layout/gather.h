// What a pool over the picture sums, brought to its tiles by the mesh as the vendor's compiler
// does: first along columns of tiles, then along rows. Specification "heads" 3.1;
// docs/edgetpu-compiler.md, "Beside the vendor's programs".
#pragma once

#include <optional>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

// Blocks of 64 channels from `first` on, block `first` + k to tile k.
struct MeshGatherSpec {
  const Map* map = nullptr;
  int64_t first = 0;
  int64_t columns = 0;  // mesh_gather_bytes(): all rows of a tile's columns
  int64_t to = 0;       // each block, position after position
  int64_t passing = 0;  // kGatherPassing bytes, through which words of other tiles go
  int64_t ones = 0;     // kGatherOnes bytes: a word of the pool's, then those of the unit matrix
  int64_t line = 0;     // mesh_gather_lines() from here on
};
inline constexpr int64_t kGatherPassing = 32, kGatherOnes = 20;
int64_t mesh_gather_bytes(const Map& map);
// Lines of the tile that has most; they may lie where the pool has its own, two lines lower.
// Nothing: some instruction would have no known form, or more would be counted than there is room
// for.
std::optional<int64_t> mesh_gather_lines(const MeshGatherSpec& spec);
// Counters begin anew before and after it.
void gather_by_mesh(Program& p, const MeshGatherSpec& spec);

}  // namespace edgetwin::edgetpu::compiler
