#include "targets/max78/page/scene.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "plot/chart.h"
#include "plot/font.h"
#include "report/format.h"

namespace edgetwin::max78 {
namespace {

constexpr double kLabelSize = 11.0;
constexpr double kLetter = 6.5;  // a letter's width at that size, and a little more

std::string at(double value) { return report::real_text(std::round(value * 100.0) / 100.0); }

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + at(value) + "\"";
}

std::string hex_color(plot::Color c) {
  static constexpr const char* kDigits = "0123456789abcdef";
  std::string text = "#";
  for (const uint8_t part : {c.r, c.g, c.b}) {
    text += kDigits[part >> 4];
    text += kDigits[part & 15];
  }
  return text;
}

bool has_room(const SceneRect& r) {
  return !r.label.empty() && r.at.height() > kLabelSize + 1 &&
         r.at.width() > kLetter * static_cast<double>(r.label.size()) + 4;
}

plot::Point middle(const plot::Rect& r) { return {(r.left + r.right) / 2, (r.top + r.bottom) / 2}; }

std::string svg_rect(const SceneRect& r) {
  std::string text = "<rect" + attribute("x", r.at.left) + attribute("y", r.at.top) +
                     attribute("width", r.at.width()) + attribute("height", r.at.height()) +
                     " fill=\"" + hex_color(r.color) + "\" style=\"fill-opacity:" + at(r.opacity);
  if (r.alarmed) text += ";stroke:#c82c34;stroke-width:2";
  return text + "\"><title>" + report::html_escaped(r.title) + "</title></rect>";
}

std::string svg_text(const SceneText& t) {
  static constexpr std::array<const char*, 3> kAnchors = {"start", "middle", "end"};
  return "<text" + attribute("x", t.at.x) + attribute("y", t.at.y + 0.36 * t.size) +
         " text-anchor=\"" + kAnchors[static_cast<size_t>(t.anchor)] +
         "\" style=\"font-size:" + at(t.size) + "px" + (t.strong ? ";font-weight:600" : "") +
         "\">" + report::html_escaped(t.text) + "</text>";
}

// White letters on the colours of rectangles.
std::string svg_label(const SceneRect& r) {
  const plot::Point p = middle(r.at);
  return "<text" + attribute("x", p.x) + attribute("y", p.y + 0.36 * kLabelSize) +
         " text-anchor=\"middle\" style=\"fill:#fff;pointer-events:none\">" +
         report::html_escaped(r.label) + "</text>";
}

void frame(plot::Canvas& canvas, const plot::Rect& r, double width, plot::Color color) {
  const std::array<plot::Point, 5> points = {plot::Point{r.left, r.top},
                                             {r.right, r.top},
                                             {r.right, r.bottom},
                                             {r.left, r.bottom},
                                             {r.left, r.top}};
  canvas.polyline(points, width, color);
}

}  // namespace

std::string to_svg(const Scene& scene) {
  std::string svg = "<svg class=\"memory\" role=\"img\" aria-label=\"" +
                    report::html_escaped(scene.name) + "\" viewBox=\"0 0 " + at(scene.width) + " " +
                    at(scene.height) + "\">";
  for (const SceneLine& l : scene.lines) {
    svg += "<line" + attribute("x1", l.from.x) + attribute("y1", l.from.y) +
           attribute("x2", l.to.x) + attribute("y2", l.to.y) + " class=\"grid\"/>";
  }
  for (const SceneRect& r : scene.rects) svg += svg_rect(r);
  for (const SceneRect& r : scene.rects) svg += has_room(r) ? svg_label(r) : "";
  for (const SceneText& t : scene.texts) svg += svg_text(t);
  return svg + "</svg>\n";
}

Result<Bytes> to_png(const Scene& scene, double scale) {
  const double most = static_cast<double>(plot::kMaxCanvasSide);
  scale = std::min({scale, most / scene.width, most / scene.height});
  plot::Canvas canvas(static_cast<int>(scene.width * scale), static_cast<int>(scene.height * scale),
                      {255, 255, 255});
  const auto scaled = [scale](const plot::Rect& r) {
    return plot::Rect{r.left * scale, r.top * scale, r.right * scale, r.bottom * scale};
  };
  constexpr plot::Color kGrid = {223, 227, 232};
  constexpr plot::Color kInk = {70, 78, 92};
  for (const SceneLine& l : scene.lines) {
    canvas.line({l.from.x * scale, l.from.y * scale}, {l.to.x * scale, l.to.y * scale}, scale,
                kGrid);
  }
  for (const SceneRect& r : scene.rects) {
    canvas.fill(scaled(r.at), r.color, r.opacity);
    frame(canvas, scaled(r.at), r.alarmed ? 2 * scale : scale * 0.5,
          r.alarmed ? plot::kRed : plot::Color{255, 255, 255});
  }
  const auto draw = [&](plot::Point p, const std::string& text, plot::TextStyle style) {
    plot::draw_text(canvas, {p.x * scale, p.y * scale}, text, style);
  };
  for (const SceneRect& r : scene.rects) {
    if (!has_room(r)) continue;
    draw(middle(r.at), r.label,
         {kLabelSize * scale, {255, 255, 255}, plot::Align::centre, true, false});
  }
  for (const SceneText& t : scene.texts) {
    const auto align = static_cast<plot::Align>(t.anchor);
    draw(t.at, t.text, {t.size * scale, kInk, align, t.strong, false});
  }
  return canvas.png();
}

Scene stacked(const std::vector<Scene>& scenes, const std::string& name) {
  Scene all;
  all.name = name;
  all.width = all.height = 0;
  for (const Scene& s : scenes) {
    const double down = all.height;
    for (SceneLine l : s.lines) {
      l.from.y += down;
      l.to.y += down;
      all.lines.push_back(l);
    }
    for (SceneRect r : s.rects) {
      r.at.top += down;
      r.at.bottom += down;
      all.rects.push_back(std::move(r));
    }
    for (SceneText t : s.texts) {
      t.at.y += down;
      all.texts.push_back(std::move(t));
    }
    all.width = std::max(all.width, s.width);
    all.height += s.height;
  }
  return all;
}

}  // namespace edgetwin::max78
