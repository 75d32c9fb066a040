// RESHAPE of a picture to a list of positions by the mesh, as the vendor's compiler has it: columns
// of tiles are brought to the first one, then rows to the tiles that need them, then positions go
// to their tiles. docs/edgetpu-compiler.md, "Beside the vendor's programs".
#pragma once

#include "targets/edgetpu/compile/layout/mesh.h"

namespace edgetwin::edgetpu::compiler {

struct MeshListSpec {
  // A picture without borders; or a vector, block k of 64 bytes in tile k.
  const Map* from = nullptr;
  const Map* to = nullptr;  // one row or one column; positions have whole words in both
  bool apart = false;       // each block lies at its place in the vector, else where it begins
  int64_t gathered = 0;     // mesh_list_bytes() of narrow memory
  int64_t passing = 0;      // kPassingBytes
  int64_t scratch = 0, matrix = 0;  // as MeshSpec
  bool counted = false;
  bool leaves = false;  // the list is an output
};
// Of the tile that has most.
int64_t mesh_list_bytes(const MeshListSpec& spec);
// Whether it has only instructions of known forms and what is counted has room.
bool can_list(const MeshListSpec& spec);
// Behind an epoch; counters begin anew after it, of the ring, too, where the list does not leave.
void mesh_list(Program& p, const MeshListSpec& spec);

}  // namespace edgetwin::edgetpu::compiler
