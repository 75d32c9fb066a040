// Charts: panels above each other over one x axis, each with a y axis, series and a legend.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plot/canvas.h"
#include "plot/ticks.h"

namespace edgetwin::plot {

// Colours that stay apart for most eyes, in the order in which a chart should use them.
inline constexpr Color kBlue = {31, 98, 180};
inline constexpr Color kOrange = {222, 110, 14};
inline constexpr Color kGreen = {34, 139, 80};
inline constexpr Color kRed = {200, 44, 52};
inline constexpr Color kPurple = {122, 76, 160};
inline constexpr Color kGrey = {120, 126, 134};

struct Series {
  enum class Style : uint8_t { line, points };
  std::string label;  // "": not in the legend
  Color color = kBlue;
  Style style = Style::line;
  double width = 2.0;  // of the line, or of a point, in pixels
  // As many of each. Points that are not finite are left out and break a line.
  std::vector<double> x, y;
};

struct Panel {
  std::string y_label;
  std::vector<Series> series;
  double height = 1.0;           // relative to the other panels
  std::optional<Range> y_range;  // else from the data
};

struct Chart {
  std::string title, subtitle, x_label;
  std::vector<Panel> panels;  // at most 4
  int width = 1200, height = 800;
  bool whole_x = false;  // x counts something: no ticks between whole numbers
};

// The picture. Series longer than the picture is wide are drawn by the extremes of each column, so
// that no peak is lost.
Canvas render(const Chart& chart);

// The same as PNG bytes. Error: those of encode_png.
Result<Bytes> render_png(const Chart& chart);

}  // namespace edgetwin::plot
