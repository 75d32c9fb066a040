// A vector of a fully connected layer at every position of a picture (TILE), as the vendor's
// compiler has it: with other numbers first, then one row after the other to the tiles of the first
// column, then one column after the other. Found on DeepLab slim.
#pragma once

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

struct RepeatVectorSpec {
  int64_t words = 0;
  int64_t vector = 0;           // bytes; 64 of it in each tile from the first one on
  const Map* column = nullptr;  // one column of the picture
  const Map* out = nullptr;     // whose pixels may have other channels, too
  int64_t out_offset = 0;       // bytes into them
  int64_t passing = 0;          // kPassingBytes
  int64_t matrix = 0;           // the line of the unit matrix
};
// More than two blocks of 64 are in no public program.
inline constexpr int64_t kMostRepeatedBytes = 128;

// Each block gets other numbers on the way from the beginning of `from` to its place of the vector.
void scale_blocks(Program& p, int64_t words, int64_t from, int64_t to, const Numbers& numbers,
                  int64_t matrix);
// The other block to the first tile, by the ring, and from there to all rows, by the mesh.
void repeat_rows(Program& p, const RepeatVectorSpec& spec);
void repeat_columns(Program& p, const RepeatVectorSpec& spec);
// Whether all of it has known forms.
bool can_repeat_vector(const RepeatVectorSpec& spec);

}  // namespace edgetwin::edgetpu::compiler
