#include "plot/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/markup.h"
#include "plot/chart.h"
#include "plot/font.h"

namespace edgetwin::plot {
namespace {

constexpr double kLabelSize = 11.0;
constexpr double kLetter = 6.5;  // a letter's width at that size, and a little more

std::string at(double value) { return shortest_number(std::round(value * 100.0) / 100.0); }

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + at(value) + "\"";
}

std::string hex_color(Color c) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const uint8_t part : {c.r, c.g, c.b}) {
    text += kDigits[part >> 4];
    text += kDigits[part & 15];
  }
  return text;
}

bool has_room(const DrawingRect& r) {
  return !r.label.empty() && r.at.height() > kLabelSize + 1 &&
         r.at.width() > kLetter * static_cast<double>(r.label.size()) + 4;
}

Point middle(const Rect& r) { return {(r.left + r.right) / 2, (r.top + r.bottom) / 2}; }

std::string svg_rect(const DrawingRect& r) {
  std::string text = "<rect" + attribute("x", r.at.left) + attribute("y", r.at.top) +
                     attribute("width", r.at.width()) + attribute("height", r.at.height()) +
                     " fill=\"" + hex_color(r.color) + "\" style=\"fill-opacity:" + at(r.opacity);
  if (r.alarmed) text += ";stroke:#c82c34;stroke-width:2";
  return text + "\"><title>" + markup_escaped(r.title) + "</title></rect>";
}

std::string svg_text(const DrawingText& t) {
  static constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
  return "<text" + attribute("x", t.at.x) + attribute("y", t.at.y + 0.36 * t.size) +
         " text-anchor=\"" + kAnchors[static_cast<size_t>(t.anchor)] +
         "\" style=\"font-size:" + at(t.size) + "px" + (t.strong ? ";font-weight:600" : "") +
         "\">" + markup_escaped(t.text) + "</text>";
}

// White letters on the colours of rectangles.
std::string svg_label(const DrawingRect& r) {
  const Point p = middle(r.at);
  return "<text" + attribute("x", p.x) + attribute("y", p.y + 0.36 * kLabelSize) +
         " text-anchor=\"middle\" style=\"fill:#fff;pointer-events:none\">" +
         markup_escaped(r.label) + "</text>";
}

void frame(Canvas& canvas, const Rect& r, double width, Color color) {
  const std::array<Point, 5> points = {Point{r.left, r.top},
                                       {r.right, r.top},
                                       {r.right, r.bottom},
                                       {r.left, r.bottom},
                                       {r.left, r.top}};
  canvas.polyline(points, width, color);
}

}  // namespace

std::string to_svg(const Drawing& drawing) {
  std::string svg = "<svg class=\"memory\" role=\"img\" aria-label=\"" +
                    markup_escaped(drawing.name) + "\" viewBox=\"0 0 " + at(drawing.width) + " " +
                    at(drawing.height) + "\">";
  for (const DrawingLine& l : drawing.lines) {
    svg += "<line" + attribute("x1", l.from.x) + attribute("y1", l.from.y) +
           attribute("x2", l.to.x) + attribute("y2", l.to.y) + " class=\"grid\"/>";
  }
  for (const DrawingRect& r : drawing.rects) svg += svg_rect(r);
  for (const DrawingRect& r : drawing.rects) svg += has_room(r) ? svg_label(r) : "";
  for (const DrawingText& t : drawing.texts) svg += svg_text(t);
  return svg + "</svg>\n";
}

Result<Bytes> to_png(const Drawing& drawing, double scale) {
  const double most = static_cast<double>(kMaxCanvasSide);
  scale = std::min({scale, most / drawing.width, most / drawing.height});
  Canvas canvas(static_cast<int>(drawing.width * scale), static_cast<int>(drawing.height * scale),
                {255, 255, 255});
  const auto scaled = [scale](const Rect& r) {
    return Rect{r.left * scale, r.top * scale, r.right * scale, r.bottom * scale};
  };
  constexpr Color kGrid = {223, 227, 232};
  constexpr Color kInk = {70, 78, 92};
  for (const DrawingLine& l : drawing.lines) {
    canvas.line({l.from.x * scale, l.from.y * scale}, {l.to.x * scale, l.to.y * scale}, scale,
                kGrid);
  }
  for (const DrawingRect& r : drawing.rects) {
    canvas.fill(scaled(r.at), r.color, r.opacity);
    frame(canvas, scaled(r.at), r.alarmed ? 2 * scale : scale * 0.5,
          r.alarmed ? kRed : Color{255, 255, 255});
  }
  const auto draw = [&](Point p, const std::string& text, TextStyle style) {
    draw_text(canvas, {p.x * scale, p.y * scale}, text, style);
  };
  for (const DrawingRect& r : drawing.rects) {
    if (!has_room(r)) continue;
    draw(middle(r.at), r.label, {kLabelSize * scale, {255, 255, 255}, Align::centre, true, false});
  }
  for (const DrawingText& t : drawing.texts) {
    const auto align = static_cast<Align>(t.anchor);
    draw(t.at, t.text, {t.size * scale, kInk, align, t.strong, false});
  }
  return canvas.png();
}

Drawing stacked(const std::vector<Drawing>& drawings, const std::string& name) {
  Drawing all;
  all.name = name;
  all.width = all.height = 0;
  for (const Drawing& s : drawings) {
    const double down = all.height;
    for (DrawingLine l : s.lines) {
      l.from.y += down;
      l.to.y += down;
      all.lines.push_back(l);
    }
    for (DrawingRect r : s.rects) {
      r.at.top += down;
      r.at.bottom += down;
      all.rects.push_back(std::move(r));
    }
    for (DrawingText t : s.texts) {
      t.at.y += down;
      all.texts.push_back(std::move(t));
    }
    all.width = std::max(all.width, s.width);
    all.height += s.height;
  }
  return all;
}

}  // namespace edgetwin::plot
