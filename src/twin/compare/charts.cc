#include <algorithm>
#include <cmath>

#include "estimate/numbers.h"
#include "report/format.h"
#include "twin/compare/parts.h"

namespace edgetwin::twin {
namespace {

constexpr double kWidth = 920, kHeight = 320, kLeft = 60, kRight = 200, kTop = 24, kBottom = 46;
constexpr const char* kColors[] = {"#1f62b4", "#de6e0e", "#228b50", "#c82c34", "#7a4ca0"};

struct Point {
  double x = 0, y = 0;
};
struct Line {
  std::string label;
  std::vector<Point> points;
  std::vector<std::string> titles;
  std::vector<bool> best;  // with a ring; empty: none
  bool joined = true;
};

// A chart with linear or logarithmic x.
class Svg {
 public:
  Svg(const std::vector<Line>& lines, bool logarithmic) : lines_(lines), log_(logarithmic) {
    for (const Line& l : lines) {
      for (const Point& p : l.points) include(p);
    }
    if (x1_ <= x0_) x1_ = x0_ + 1.0;
    if (y1_ <= y0_) y1_ = y0_ + 1.0;
    if (lines.empty() || lines.front().joined) return;
    // Points with rings and names keep off the frame.
    constexpr double kMargin = 0.05;
    const double wide = kMargin * (x1_ - x0_), high = kMargin * (y1_ - y0_);
    x0_ -= wide, x1_ += wide, y0_ -= high, y1_ += high;
  }

  std::string text(const std::string& name, const std::string& x, const std::string& y) const {
    std::string out = "<svg viewBox=\"0 0 " + number(kWidth) + " " + number(kHeight) +
                      "\" width=\"100%\" role=\"img\" aria-label=\"" + report::html_escaped(name) +
                      "\" font-size=\"11\" fill=\"currentColor\">\n";
    out += axis(x, y);
    for (size_t i = 0; i < lines_.size(); ++i) out += line(i);
    return out + "</svg>\n";
  }

 private:
  static std::string number(double v) { return report::fixed_text(v, 1); }
  double along(double x) const { return log_ ? std::log10(std::max(x, 1e-6)) : x; }
  void include(const Point& p) {
    const double x = along(p.x);
    x0_ = first_ ? x : std::min(x0_, x);
    x1_ = first_ ? x : std::max(x1_, x);
    y0_ = first_ ? p.y : std::min(y0_, p.y);
    y1_ = first_ ? p.y : std::max(y1_, p.y);
    first_ = false;
  }
  double px(double x) const {
    return kLeft + (along(x) - x0_) / (x1_ - x0_) * (kWidth - kLeft - kRight);
  }
  double py(double y) const {
    return kHeight - kBottom - (y - y0_) / (y1_ - y0_) * (kHeight - kTop - kBottom);
  }
  static std::string label(double x, double y, const std::string& t, const char* anchor) {
    return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" +
           report::html_escaped(t) + "</text>\n";
  }
  std::string axis(const std::string& x, const std::string& y) const {
    const double bottom = kHeight - kBottom, right = kWidth - kRight;
    std::string out = "<path d=\"M" + number(kLeft) + " " + number(kTop) + "V" + number(bottom) +
                      "H" + number(right) + "\" fill=\"none\" stroke=\"currentColor\"/>\n";
    const double a = log_ ? std::pow(10.0, x0_) : x0_, b = log_ ? std::pow(10.0, x1_) : x1_;
    out += label(kLeft, bottom + 15, estimates::number_text(a), "start");
    out += label(right, bottom + 15, estimates::number_text(b), "end");
    out += label(0.5 * (kLeft + right), bottom + 32, x, "middle");
    out += label(kLeft - 6, bottom, estimates::number_text(y0_), "end");
    out += label(kLeft - 6, kTop + 4, estimates::number_text(y1_), "end");
    return out + label(kLeft, kTop - 8, y, "start");
  }
  std::string line(size_t i) const {
    const Line& l = lines_[i];
    const std::string color = kColors[i % std::size(kColors)];
    std::string out;
    if (l.joined) {
      out += "<polyline fill=\"none\" stroke-width=\"1.6\" stroke=\"" + color + "\" points=\"";
      for (const Point& p : l.points) out += number(px(p.x)) + "," + number(py(p.y)) + " ";
      out += "\"/>\n";
    }
    for (size_t k = 0; k < l.points.size(); ++k) {
      out += "<circle r=\"" + std::string(l.joined ? "2.5" : "5") + "\" fill=\"" + color +
             "\" cx=\"" + number(px(l.points[k].x)) + "\" cy=\"" + number(py(l.points[k].y)) +
             "\"><title>" + report::html_escaped(l.titles[k]) + "</title></circle>\n";
      if (k < l.best.size() && l.best[k]) {
        out += "<circle r=\"9\" fill=\"none\" stroke=\"currentColor\" cx=\"" +
               number(px(l.points[k].x)) + "\" cy=\"" + number(py(l.points[k].y)) + "\"/>\n";
      }
      if (!l.joined) {
        // Inside of the frame: to the left of a point in its right half.
        const bool left = px(l.points[k].x) > 0.5 * (kLeft + kWidth - kRight);
        out += label(px(l.points[k].x) + (left ? -11 : 11), py(l.points[k].y) + 4, l.titles[k],
                     left ? "end" : "start");
      }
    }
    const double y = kTop + 16.0 * static_cast<double>(i);
    out += "<rect x=\"" + number(kWidth - kRight + 40) + "\" y=\"" + number(y) +
           "\" width=\"10\" height=\"10\" fill=\"" + color + "\"/>\n";
    return out + label(kWidth - kRight + 56, y + 9, l.label, "start");
  }

  const std::vector<Line>& lines_;
  bool log_;
  bool first_ = true;
  double x0_ = 0, x1_ = 1, y0_ = 0, y1_ = 1;
};

}  // namespace

std::string noise_chart(const ComparedNetwork& network) {
  std::vector<Line> lines;
  for (const ComparedChip& c : network.chips) {
    if (c.layers.empty()) continue;
    Line line;
    line.label = c.target;
    for (size_t i = 0; i < c.layers.size(); ++i) {
      const double db = decibels(c.layers[i].accumulated);
      // Layers of chips differ in number: each line goes from the first to the last.
      const double at = c.layers.size() > 1
                            ? static_cast<double>(i) / static_cast<double>(c.layers.size() - 1)
                            : 0.0;
      line.points.push_back({100.0 * at, db});
      line.titles.push_back(c.target + ", " + c.layers[i].layer + ": " + report::fixed_text(db, 1) +
                            " dB");
    }
    lines.push_back(std::move(line));
  }
  if (lines.empty()) return "";
  return Svg(lines, false)
      .text("signal over noise by layer", "layers, first to last, percent",
            "signal over noise, dB");
}

namespace {

// Nothing is both earlier (or as early) and better (or as good).
void mark_best(std::vector<Line>& lines) {
  const auto beaten = [&lines](const Point& p) {
    for (const Line& l : lines) {
      for (const Point& q : l.points) {
        if (q.x <= p.x && q.y >= p.y && (q.x < p.x || q.y > p.y)) return true;
      }
    }
    return false;
  };
  for (Line& l : lines) {
    for (const Point& p : l.points) l.best.push_back(!beaten(p));
  }
}

}  // namespace

std::string pareto_chart(const std::vector<ComparedNetwork>& networks, bool energy) {
  constexpr double kHundred = 100.0;
  const bool counted = std::ranges::any_of(
      networks, [](const ComparedNetwork& n) { return n.accuracy.has_value(); });
  std::vector<Line> lines;
  for (const ComparedNetwork& n : networks) {
    Line line;
    line.joined = false;
    line.label = report::shortened(n.file.substr(n.file.rfind('/') + 1), 16);
    for (const ComparedChip& c : n.chips) {
      if (!c.estimate || !c.fits) continue;
      if (counted ? !c.accuracy.has_value() : !c.output_noise.has_value()) continue;
      const auto& r = energy ? c.estimate->energy_uj : c.estimate->latency_ms;
      if (!r) continue;
      line.points.push_back(
          {r->mid, counted ? c.accuracy->value * kHundred : decibels(*c.output_noise)});
      line.titles.push_back(c.target);
    }
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  // One point has nothing to be compared with.
  size_t points = 0;
  for (const Line& l : lines) points += l.points.size();
  if (points < 2) return "";
  mark_best(lines);
  const std::string what = counted ? "accuracy" : "signal over noise";
  return Svg(lines, true)
      .text(what + (energy ? " against energy" : " against time"),
            energy ? "uJ, estimated, logarithmic" : "ms, estimated, logarithmic",
            counted ? "right answers (top1), percent; a ring: no other is better in both"
                    : "signal over noise at the outputs, dB; a ring: no other is better in both");
}

}  // namespace edgetwin::twin
