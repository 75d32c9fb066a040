// A picture as a list of rectangles, lines and words, to be drawn as SVG text or as pixels.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plot/canvas.h"

namespace edgetwin::max78 {

struct SceneRect {
  plot::Rect at;
  plot::Color color;
  double opacity = 0.8;
  bool alarmed = false;  // framed in red
  std::string title;     // shown when pointed at
  std::string label;     // inside, where there is room
};

struct SceneText {
  plot::Point at;  // on the middle of the capitals' height
  std::string text;
  enum class Anchor : uint8_t { start, middle, end } anchor = Anchor::start;
  double size = 11.0;
  bool strong = false;
};

struct SceneLine {
  plot::Point from, to;
};

struct Scene {
  std::string name;  // for readers who do not see it
  double width = 960, height = 300;
  std::vector<SceneLine> lines;  // thin, below the rectangles
  std::vector<SceneRect> rects;
  std::vector<SceneText> texts;
};

std::string to_svg(const Scene& scene);
// White paper, `scale` pixels for each unit.
Result<Bytes> to_png(const Scene& scene, double scale = 2.0);
// One below the other.
Scene stacked(const std::vector<Scene>& scenes, const std::string& name);

}  // namespace edgetwin::max78
