// A picture as a list of rectangles, lines and words, to be drawn as SVG text or as pixels.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plot/canvas.h"

namespace edgetwin::plot {

struct DrawingRect {
  Rect at;
  Color color;
  double opacity = 0.8;
  bool alarmed = false;  // framed in red
  std::string title;     // shown when pointed at
  std::string label;     // inside, where there is room
};

struct DrawingText {
  Point at;  // on the middle of the capitals' height
  std::string text;
  enum class Anchor : uint8_t { start, middle, end } anchor = Anchor::start;
  double size = 11.0;
  bool strong = false;
};

struct DrawingLine {
  Point from, to;
};

struct Drawing {
  std::string name;  // for readers who do not see it
  double width = 960, height = 300;
  std::vector<DrawingLine> lines;  // thin, below the rectangles
  std::vector<DrawingRect> rects;
  std::vector<DrawingText> texts;
};

std::string to_svg(const Drawing& drawing);
// White paper, `scale` pixels for each unit.
Result<Bytes> to_png(const Drawing& drawing, double scale = 2.0);
// One below the other.
Drawing stacked(const std::vector<Drawing>& drawings, const std::string& name);

}  // namespace edgetwin::plot
