#include "plot/font.h"

#include <array>
#include <charconv>
#include <cstring>
#include <vector>

namespace edgetwin::plot {
namespace {

struct Glyph {
  char character;
  double width;
  std::string_view strokes;
};

constexpr Glyph kGlyphs[] = {
#define GLYPH(character, width, strokes) {character, width, strokes},
#include "plot/glyphs.def"
#undef GLYPH
};

constexpr Glyph kBox = {'\0', 7, "M0 0L7 0L7 12L0 12L0 0"};
constexpr double kCapital = 12.0;  // units
constexpr double kSpacing = 2.9;   // units between two glyphs
constexpr double kCapitalPart = 0.714;
constexpr int kCurveSteps = 6;

const Glyph& glyph(char c) {
  const auto index = static_cast<size_t>(static_cast<unsigned char>(c)) - ' ';
  if (index < std::size(kGlyphs)) return kGlyphs[index];
  return kBox;
}

double unit(const TextStyle& style) { return style.size * kCapitalPart / kCapital; }

// The glyphs of a text; continuation bytes of UTF-8 add none.
template <class Visit>
void each_glyph(std::string_view text, const Visit& visit) {
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    visit(glyph(c));
  }
}

// Reads the strokes of one glyph and draws them through `place`, which maps units to pixels.
template <class Place>
class Pen {
 public:
  Pen(Canvas& canvas, double width, Color color, const Place& place)
      : canvas_(canvas), width_(width), color_(color), place_(place) {}

  void draw(std::string_view strokes) {
    text_ = strokes;
    while (!text_.empty()) {
      const char command = text_[0];
      text_.remove_prefix(1);
      if (command == 'M') move(point());
      if (command == 'L') add(point());
      if (command == 'Q') {
        const Point control = point();
        curve(control, point());
      }
      if (command == 'O') {
        const Point centre = point();
        ellipse(centre, point());
      }
    }
    flush();
  }

 private:
  double number() {
    while (!text_.empty() && text_[0] == ' ') text_.remove_prefix(1);
    double value = 0.0;
    const auto end = std::from_chars(text_.data(), text_.data() + text_.size(), value).ptr;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    return value;
  }
  Point point() {
    const double x = number();
    return {x, number()};
  }
  void flush() {
    canvas_.polyline(pixels_, width_, color_);
    pixels_.clear();
  }
  void move(Point p) {
    flush();
    add(p);
  }
  void add(Point p) {
    last_ = p;
    pixels_.push_back(place_(p));
  }
  void curve(Point control, Point end) {
    const Point start = last_;
    for (int i = 1; i <= kCurveSteps; ++i) {
      const double t = static_cast<double>(i) / kCurveSteps;
      const double a = (1 - t) * (1 - t);
      const double b = 2 * t * (1 - t);
      const double c = t * t;
      add({a * start.x + b * control.x + c * end.x, a * start.y + b * control.y + c * end.y});
    }
  }
  // Four parabolas, a little fuller than an ellipse.
  void ellipse(Point centre, Point radius) {
    const double left = centre.x - radius.x;
    const double right = centre.x + radius.x;
    const double top = centre.y - radius.y;
    const double bottom = centre.y + radius.y;
    move({centre.x, top});
    curve({left, top}, {left, centre.y});
    curve({left, bottom}, {centre.x, bottom});
    curve({right, bottom}, {right, centre.y});
    curve({right, top}, {centre.x, top});
  }

  Canvas& canvas_;
  double width_;
  Color color_;
  const Place& place_;
  std::string_view text_;
  std::vector<Point> pixels_;
  Point last_;
};

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
  double units = 0.0;
  each_glyph(text, [&](const Glyph& g) { units += g.width + kSpacing; });
  return units == 0.0 ? 0.0 : (units - kSpacing) * unit(style);
}

void draw_text(Canvas& canvas, Point at, std::string_view text, const TextStyle& style) {
  const double scale = unit(style);
  double pen = 0.0;
  if (style.align == Align::right) pen = -text_width(text, style);
  if (style.align == Align::centre) pen = -text_width(text, style) / 2;
  const double stroke = style.size * (style.bold ? 0.125 : 0.09);
  each_glyph(text, [&](const Glyph& g) {
    const auto place = [&](Point p) {
      const double along = pen + p.x * scale;
      const double across = (p.y - kCapital / 2) * scale;
      if (style.upward) return Point{at.x + across, at.y - along};
      return Point{at.x + along, at.y + across};
    };
    Pen drawer(canvas, stroke, style.color, place);
    drawer.draw(g.strokes);
    pen += (g.width + kSpacing) * scale;
  });
}

}  // namespace edgetwin::plot
