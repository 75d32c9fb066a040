#include "plot/chart.h"

#include <algorithm>
#include <cmath>

#include "plot/font.h"

namespace edgetwin::plot {
namespace {

constexpr Color kWhite = {255, 255, 255};
constexpr Color kInk = {34, 38, 44};
constexpr Color kPale = {96, 102, 110};
constexpr Color kGrid = {228, 231, 235};
constexpr Color kFrame = {150, 156, 164};
constexpr double kLeft = 104, kRight = 34, kBottom = 66, kGap = 26;
constexpr double kTitleSize = 21, kTextSize = 15, kTickSize = 14;
constexpr size_t kMaxPanels = 4;

struct Axis {
  Range range;
  double from, to;  // pixels
  double operator()(double v) const { return from + (v - range.low) / range.size() * (to - from); }
};

void extend(std::optional<Range>& range, double v) {
  if (!std::isfinite(v)) return;
  if (!range) range = Range{v, v};
  range->low = std::min(range->low, v);
  range->high = std::max(range->high, v);
}

Range data_range(const std::vector<Series>& all, bool of_x) {
  std::optional<Range> range;
  for (const Series& s : all) {
    for (const double v : of_x ? s.x : s.y) extend(range, v);
  }
  return range.value_or(Range{});
}

Range x_range(const Chart& chart) {
  std::optional<Range> range;
  for (const Panel& panel : chart.panels) {
    for (const Series& s : panel.series) {
      for (const double v : s.x) extend(range, v);
    }
  }
  return range.value_or(Range{});
}

// A line of many points in few: of each column the first, the extremes and the last.
class Columns {
 public:
  explicit Columns(std::vector<Point>& out) : out_(out) {}
  void add(Point p) {
    const double column = std::floor(p.x);
    if (count_ > 0 && column != column_) flush();
    if (count_ == 0) first_ = low_ = high_ = p;
    column_ = column;
    last_ = p;
    if (p.y < low_.y) low_ = p;
    if (p.y > high_.y) high_ = p;
    ++count_;
  }
  void flush() {
    if (count_ == 0) return;
    out_.push_back(first_);
    const bool low_first = low_.x <= high_.x;
    if (count_ > 2) out_.push_back(low_first ? low_ : high_);
    if (count_ > 2) out_.push_back(low_first ? high_ : low_);
    if (count_ > 1) out_.push_back(last_);
    count_ = 0;
  }

 private:
  std::vector<Point>& out_;
  double column_ = 0.0;
  Point first_, last_, low_, high_;
  int count_ = 0;
};

void draw_line(Canvas& canvas, const Series& s, const Axis& x, const Axis& y) {
  std::vector<Point> points;
  Columns columns(points);
  const auto end_line = [&] {
    columns.flush();
    canvas.polyline(points, s.width, s.color);
    points.clear();
  };
  for (size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
    const Point p = {x(s.x[i]), y(s.y[i])};
    if (std::isfinite(p.x) && std::isfinite(p.y)) {
      columns.add(p);
    } else {
      end_line();
    }
  }
  end_line();
}

void draw_points(Canvas& canvas, const Series& s, const Axis& x, const Axis& y) {
  for (size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i) {
    canvas.disc({x(s.x[i]), y(s.y[i])}, s.width / 2, s.color, 0.85);
  }
}

// In a line above the panel's frame, ending at its right edge.
void draw_legend(Canvas& canvas, const Panel& panel, const Rect& frame) {
  const TextStyle style = {kTickSize, kInk, Align::left};
  double width = 0.0;
  for (const Series& s : panel.series) {
    if (!s.label.empty()) width += 34 + text_width(s.label, style) + 20;
  }
  double x = frame.right - width + 20;
  const double y = frame.top - 13;
  for (const Series& s : panel.series) {
    if (s.label.empty()) continue;
    if (s.style == Series::Style::line) canvas.line({x, y}, {x + 24, y}, 3.0, s.color);
    if (s.style == Series::Style::points) canvas.disc({x + 12, y}, 4.0, s.color);
    draw_text(canvas, {x + 34, y}, s.label, style);
    x += 34 + text_width(s.label, style) + 20;
  }
}

void draw_frame(Canvas& canvas, const Rect& f) {
  const Point corners[] = {
      {f.left, f.top}, {f.right, f.top}, {f.right, f.bottom}, {f.left, f.bottom}, {f.left, f.top}};
  canvas.polyline(corners, 1.0, kFrame);
}

// Grid and numbers of x; the numbers only under the lowest panel.
void draw_x_axis(Canvas& canvas, const Rect& frame, const Axis& x, const Ticks& ticks,
                 bool numbers) {
  for (size_t i = 0; i < ticks.values.size(); ++i) {
    const double at = std::floor(x(ticks.values[i])) + 0.5;
    canvas.line({at, frame.top}, {at, frame.bottom}, 1.0, kGrid);
    if (!numbers) continue;
    canvas.line({at, frame.bottom}, {at, frame.bottom + 5}, 1.0, kFrame);
    draw_text(canvas, {at, frame.bottom + 17}, ticks.labels[i], {kTickSize, kPale, Align::centre});
  }
}

void draw_y_axis(Canvas& canvas, const Rect& frame, const Axis& y, const Ticks& ticks) {
  for (size_t i = 0; i < ticks.values.size(); ++i) {
    const double at = std::floor(y(ticks.values[i])) + 0.5;
    const bool zero = std::abs(ticks.values[i]) < ticks.step * 1e-6;
    canvas.line({frame.left, at}, {frame.right, at}, 1.0, zero ? kFrame : kGrid);
    canvas.line({frame.left - 5, at}, {frame.left, at}, 1.0, kFrame);
    draw_text(canvas, {frame.left - 10, at}, ticks.labels[i], {kTickSize, kPale, Align::right});
  }
}

void draw_panel(Canvas& canvas, const Panel& panel, const Rect& frame, const Axis& x,
                const Ticks& x_ticks, bool lowest) {
  const int wanted = std::max(2, static_cast<int>(frame.height() / 60));
  const Range of_data = data_range(panel.series, false);
  const Ticks y_ticks = make_ticks(panel.y_range.value_or(of_data), wanted, !panel.y_range);
  const Axis y = {y_ticks.range, frame.bottom, frame.top};
  draw_x_axis(canvas, frame, x, x_ticks, lowest);
  draw_y_axis(canvas, frame, y, y_ticks);
  canvas.set_clip({frame.left, frame.top - 2, frame.right, frame.bottom + 2});
  for (const Series& s : panel.series) {
    if (s.style == Series::Style::line) draw_line(canvas, s, x, y);
    if (s.style == Series::Style::points) draw_points(canvas, s, x, y);
  }
  canvas.reset_clip();
  draw_frame(canvas, frame);
  draw_text(canvas, {26, (frame.top + frame.bottom) / 2}, panel.y_label,
            {kTextSize, kInk, Align::centre, false, true});
  draw_legend(canvas, panel, frame);
}

}  // namespace

Canvas render(const Chart& chart) {
  Canvas canvas(chart.width, chart.height, kWhite);
  const double right = canvas.width() - kRight;
  draw_text(canvas, {kLeft, 30}, chart.title, {kTitleSize, kInk, Align::left, true});
  draw_text(canvas, {kLeft, 57}, chart.subtitle, {kTextSize, kPale});
  const Range of_x = x_range(chart);
  int wanted = static_cast<int>(right - kLeft) / 100;
  if (chart.whole_x) wanted = std::min(wanted, std::max(1, static_cast<int>(of_x.high - of_x.low)));
  const Ticks x_ticks = make_ticks(of_x, wanted, false);
  const Axis x = {x_ticks.range, kLeft, right};

  const size_t count = std::min(chart.panels.size(), kMaxPanels);
  double weights = 0.0;
  for (size_t i = 0; i < count; ++i) weights += std::max(chart.panels[i].height, 0.01);
  double top = 74 + kGap;
  const double room = canvas.height() - kBottom - top - kGap * (static_cast<double>(count) - 1);
  for (size_t i = 0; i < count; ++i) {
    const double bottom = top + room * std::max(chart.panels[i].height, 0.01) / weights;
    const Rect frame = {kLeft, std::floor(top) + 0.5, right, std::floor(bottom) + 0.5};
    draw_panel(canvas, chart.panels[i], frame, x, x_ticks, i + 1 == count);
    top = bottom + kGap;
  }
  draw_text(canvas, {(kLeft + right) / 2, canvas.height() - 22.0}, chart.x_label,
            {kTextSize, kInk, Align::centre});
  return canvas;
}

Result<Bytes> render_png(const Chart& chart) { return render(chart).png(); }

}  // namespace edgetwin::plot
