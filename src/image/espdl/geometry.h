// Where the pixels of a picture lie in the input of a network: ESP-DL's letterbox, its nearest
// neighbours and its maps of the plane, each operation in the precision of the runtime.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "image/espdl/params.h"

namespace edgetwin::espdl_image {

// The border that keeps the proportions of `width` x `height` in `target_width` x `target_height`,
// in single precision: the other axis is filled exactly, so that both factors may differ slightly.
Border letterbox_border(int width, int height, int target_width, int target_height);

// What decoders need to map boxes back: picture = (input - border) * inverse + crop.
struct Placement {
  float inverse_x = 1.0F, inverse_y = 1.0F;  // source / target without border, in single precision
  float factor_x = 1.0F, factor_y = 1.0F;    // 1 / inverse
  Border border;
  int x1 = 0, y1 = 0;  // of the crop
};

// `source` is the size of the picture or of the crop, whose corner is `x1`, `y1`.
Placement placement_of(int source_width, int source_height, int target_width, int target_height,
                       const Border& border, int x1, int y1);

// Position i of `target` lines takes line min(trunc(float(i) * float(source / target)), source -
// 1).
std::vector<int32_t> nearest_lines(int source, int target);

// A map from the target to the source as the runtime tabulates it: terms of columns and rows in
// 1/1024, so that source x = (x_of_column[i] + x_of_row[j] + 512) >> 10, likewise y.
struct AffineTables {
  std::vector<int64_t> x_of_column, y_of_column, x_of_row, y_of_row;
};
AffineTables affine_tables(const std::array<float, 6>& inverse, int width, int height);

// The inverse that the runtime computes, whose shift is not that of the inverse map: it multiplies
// the old matrix instead of the new one. The chip's pictures are made with it.
std::array<float, 6> runtime_inverse(const std::array<float, 6>& matrix);

// The similarity (rotation, one scale, shift) that maps the five points of a face of `width` x
// `height` to `landmarks`, as the runtime finds it: from target to source, by a decomposition of
// the points' correlation whose roots stop at steps of 1e-5. Least squares in double precision
// differs from it in the fourth digit, which moves pixels at borders. `defined`: false where the
// runtime divides by zero and gives a map of zeros, as here. Error: IMG-CHIP-01 where all landmarks
// are one point.
Result<std::array<float, 6>> face_alignment(const std::array<int, 10>& landmarks, int width,
                                            int height, bool& defined);

}  // namespace edgetwin::espdl_image
