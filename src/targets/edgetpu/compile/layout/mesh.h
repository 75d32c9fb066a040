// Tensors that get another split over the tiles by the mesh, as the vendor's compiler cuts and
// joins rectangles. docs/edgetpu-compiler.md, "Beside the vendor's programs".
#pragma once

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

// What two tensors have in common along one axis; along the other one both are split alike.
struct MeshSpec {
  const Map *from = nullptr, *to = nullptr;
  bool rows = false;                // along rows, else along columns
  int64_t from_at = 0, to_at = 0;   // where they begin there, in places of the whole tensor
  int64_t passing = 0;              // 32 bytes of narrow memory for words of other tiles
  int64_t scratch = 0, matrix = 0;  // kMatrixWords in bytes; the line of the unit matrix
  bool first = false;               // it is made here
  bool counted = false;             // senders and receivers count, too
};
inline constexpr int64_t kPassingBytes = 32;
// Counters begin anew before and after it.
void mesh(Program& p, const MeshSpec& spec);
// Whether it has only instructions of known forms and what is counted has room.
bool can_mesh(const MeshSpec& spec);

// The own parts of a tensor to lines of wide memory, and from there to another one of its split.
struct SaveSpec {
  const Map* map = nullptr;
  int64_t line = 0;
};
int64_t save_lines(const Map& map);  // of the tile that has most
void save(Program& p, const SaveSpec& spec);
void restore(Program& p, const SaveSpec& spec);

}  // namespace edgetwin::edgetpu::compiler
