// Which operator makes a picture of pieces of others, told by the pieces' places alone.
#pragma once

#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/operands/layer.h"

namespace edgetwin::edgetpu {

struct MovedForm {
  enum class Kind : uint8_t { same, transpose, reshape, slice, nearest, pad, filler } kind;
  int y = 0, x = 0;            // of a slice: its first position; of a pad: before the picture
  int step_y = 1, step_x = 1;  // of a slice
  bool middles = false;        // of a nearest one: positions are middles of pixels
  bool operator==(const MovedForm&) const = default;
};

// Channels of the zero point alone.
bool is_filler(const MovedPart& part);

inline int64_t pieces_of(const Operand& o) {
  return int64_t{o.height} * o.width * static_cast<int64_t>(o.moved.size());
}

// Whether all pieces in order are one picture's positions in order: nothing but a row of them.
bool is_flat(const Operand& o, const Extent2D& from);

// A rectangle of the positions of a moved picture; `width`: of the whole picture.
struct PlaceBox {
  const std::vector<int32_t>& places;
  int width = 0;
  int y0 = 0, x0 = 0, h = 0, w = 0;
  int32_t at(int y, int x) const {
    return places[static_cast<size_t>(y0 + y) * static_cast<size_t>(width) +
                  static_cast<size_t>(x0 + x)];
  }
};

// How the rectangle is made of one picture of `from`'s size. Nothing: by none of these.
std::optional<MovedForm> form_of(const PlaceBox& box, const Extent2D& from);

// Rectangles along rows (axis 1) or columns (axis 2), one after the other, each of a form.
struct JoinedForms {
  int axis = 1;
  std::vector<PlaceBox> boxes;
  std::vector<MovedForm> forms;
};
std::optional<JoinedForms> joined_forms(const PlaceBox& whole, const Extent2D& from);

// The block of a SPACE_TO_DEPTH that makes these parts of one picture; 0: none.
int space_to_depth_block(const Operand& o, const Extent2D& from);
// The block of a DEPTH_TO_SPACE.
int depth_to_space_block(const Operand& o, const Extent2D& from);

}  // namespace edgetwin::edgetpu
