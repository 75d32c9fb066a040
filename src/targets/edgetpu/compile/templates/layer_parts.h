// What convolutions and depthwise convolutions share.
#pragma once

#include <optional>

#include "targets/edgetpu/compile/templates/layers.h"

namespace edgetwin::edgetpu::compiler {

// Where a tile's windows begin and how they go on, in bytes.
struct Place {
  int64_t start = 0, pixel = 0, row = 0;
  Dims positions;  // of the input
  Dims outputs;    // of the output
};
// `keep`: levels of one row or column are declared, too.
Place place_of(const LayerSpec& spec, int r, int c, bool keep = false);

// Lines of the header that w2n takes: scales and biases.
inline int64_t number_lines(const LayerSpec& s) {
  return int64_t{s.numbers.has_scale} + int64_t{s.numbers.has_bias};
}
inline bool has_lines(const LayerSpec& s) { return number_lines(s) != 0; }

// The vendor's compiler lets tiles of one row and tiles of one column not share an instruction.
std::function<int(int r, int c)> shapes(const Program& p, const LayerSpec& spec);

void put_header(Assembly& receive, const LayerSpec& spec, unsigned level);
void put_zero_lines(TensorSpec& tensor, const LayerSpec& spec);
// w2n of scales and biases; `per_header`: passes of weights for each of them.
void numbers_of_lines(Program& p, const LayerSpec& spec, TileCounter read, int64_t per_header,
                      unsigned level);
// The parameters go from the tile that keeps them to the scalar core and back to all tiles.
void returned(Program& p, const LayerSpec& spec);

}  // namespace edgetwin::edgetpu::compiler
