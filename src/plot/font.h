// A font of strokes, made for this project: printable ASCII, drawn as lines of any size and in two
// directions. The glyphs are glyphs.def.
#pragma once

#include <string_view>

#include "plot/canvas.h"

namespace edgetwin::plot {

enum class Align : uint8_t { left, centre, right };

struct TextStyle {
  double size = 14.0;  // height of a capital, in pixels times 1.4: as fonts are measured elsewhere
  Color color;
  Align align = Align::left;
  bool bold = false;
  bool upward = false;  // rotated by a quarter turn, to be read from the right
};

// In pixels. A byte or UTF-8 sequence without a glyph is as wide as a box.
double text_width(std::string_view text, const TextStyle& style);

// `at` is on the middle of the capitals' height, at the end or centre that style.align names.
void draw_text(Canvas& canvas, Point at, std::string_view text, const TextStyle& style);

}  // namespace edgetwin::plot
