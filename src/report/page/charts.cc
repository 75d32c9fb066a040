#include "report/page/charts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/format.h"

namespace edgetwin::report {
namespace {

constexpr double kWidth = 960.0;
constexpr double kHeight = 300.0;
constexpr double kLeft = 84.0;
constexpr double kBottom = 26.0;
constexpr double kTop = 20.0;
constexpr int kHues = 8;

// Coordinates with at most two digits, without group blanks.
std::string at(double value) { return real_text(std::round(value * 100.0) / 100.0); }

std::string attribute(const char* name, double value) {
  return std::string(" ") + name + "=\"" + at(value) + "\"";
}

std::string rectangle(double x, double y, double w, double h, const std::string& rest) {
  return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", w) +
         attribute("height", h) + rest;
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" + anchor + "\">" +
         html_escaped(text) + "</text>";
}

std::string level_line(double y, const char* style) {
  return "<line" + attribute("x1", kLeft) + attribute("x2", kWidth) + attribute("y1", y) +
         attribute("y2", y) + " class=\"" + style + "\"/>";
}

// A round number of bytes near a fifth of the whole.
int64_t tick_bytes(int64_t whole) {
  int64_t tick = 1;
  while (tick * 5 < whole) tick *= 2;
  return tick;
}

class MemoryChart {
 public:
  MemoryChart(const Graph& graph, const exec::MemoryPlan& plan, size_t steps)
      : graph_(graph),
        plan_(plan),
        arena_(std::max<int64_t>(plan.arena_bytes, 1)),
        steps_(std::max<double>(static_cast<double>(steps), 1.0)) {}

  std::string text() {
    std::string svg = "<svg class=\"memory\" role=\"img\" aria-label=\"memory plan: " +
                      size_text(plan_.arena_bytes) + " over " + at(steps_) +
                      " steps, no plan below " + size_text(plan_.peak_lower_bound) +
                      "\" viewBox=\"0 0 " + at(kWidth) + " " + at(kHeight) + "\">";
    svg += grid();
    for (size_t i = 0; i < plan_.placements.size(); ++i) svg += tensor(i);
    const double bound = y_of(plan_.peak_lower_bound);
    svg += level_line(bound, "bound");
    svg += label(kWidth - 4.0, std::max(bound - 6.0, 10.0), "end",
                 "lower bound " + size_text(plan_.peak_lower_bound));
    return svg + "</svg>";
  }

 private:
  double x_of(double step) const { return kLeft + (kWidth - kLeft) * step / steps_; }
  double y_of(int64_t offset) const {
    const double part = static_cast<double>(offset) / static_cast<double>(arena_);
    return kHeight - kBottom - (kHeight - kBottom - kTop) * part;
  }

  std::string grid() const {
    std::string svg;
    const int64_t tick = tick_bytes(arena_);
    for (int64_t offset = 0; offset <= arena_; offset += tick) {
      svg += level_line(y_of(offset), "grid");
      svg += label(kLeft - 8.0, y_of(offset) + 4.0, "end", size_text(offset));
    }
    svg += label(kLeft, kHeight - 6.0, "start", "step 0");
    const auto last = static_cast<int64_t>(steps_) - 1;
    if (last > 0) svg += label(kWidth - 2.0, kHeight - 6.0, "end", "step " + std::to_string(last));
    return svg;
  }

  std::string tensor(size_t index) const {
    const exec::Placement& p = plan_.placements[index];
    if (p.kind != exec::Placement::Kind::arena || p.bytes == 0) return {};
    const double first = std::max(p.first_step, 0);
    const double last = std::max<double>(p.last_step, first) + 1.0;
    const double top = y_of(p.offset + p.bytes);
    const Value& v = graph_.values[index];
    const std::string shape = rectangle(
        x_of(first), top, x_of(last) - x_of(first), y_of(p.offset) - top,
        " class=\"hue" + std::to_string(index % kHues) + "\"><title>" +
            html_escaped(v.name + "\n" + bytes_text(p.bytes) + " at " + count_text(p.offset) +
                         "\nsteps " + std::to_string(static_cast<int>(first)) + " to " +
                         std::to_string(static_cast<int>(last) - 1)) +
            "</title></rect>");
    return shape + name_inside(v.name, {x_of(first), x_of(last)}, {top, y_of(p.offset)});
  }

  // The name, or what of it fits; nothing in a rectangle that holds no word.
  static std::string name_inside(const std::string& name, std::pair<double, double> x,
                                 std::pair<double, double> y) {
    constexpr double kLetter = 6.4, kLine = 12.0, kLeast = 4.0;
    const double letters = (x.second - x.first - 6.0) / kLetter;
    if (y.second - y.first < kLine || letters < kLeast) return {};
    const std::string text = shortened(name, std::max<size_t>(static_cast<size_t>(letters), 5));
    return "<text class=\"inside\"" + attribute("x", (x.first + x.second) / 2.0) +
           attribute("y", (y.first + y.second) / 2.0 + 4.0) + " text-anchor=\"middle\">" +
           html_escaped(text) + "</text>";
  }

  const Graph& graph_;
  const exec::MemoryPlan& plan_;
  int64_t arena_;
  double steps_;
};

}  // namespace

std::string memory_chart(const Graph& graph, const exec::MemoryPlan& plan, size_t steps) {
  return MemoryChart(graph, plan, steps).text();
}

std::string histogram_chart(const TensorStats& stats) {
  constexpr double kBar = 3.0;
  constexpr double kTall = 34.0;
  int64_t most = 0;
  for (const int64_t n : stats.histogram) most = std::max(most, n);
  const double width = kBar * TensorStats::kBins;
  std::string path;
  for (size_t i = 0; most > 0 && i < stats.histogram.size(); ++i) {
    if (stats.histogram[i] == 0) continue;
    // The square root keeps rare values visible beside a peak.
    const double part =
        std::sqrt(static_cast<double>(stats.histogram[i]) / static_cast<double>(most));
    const double height = std::max(part * kTall, 1.0);
    path += "M" + at(kBar * static_cast<double>(i)) + " " + at(kTall) + "v" + at(-height) + "h" +
            at(kBar) + "v" + at(height) + "z";
  }
  return "<svg class=\"histogram\" role=\"img\" aria-label=\"histogram\" viewBox=\"0 0 " +
         at(width) + " " + at(kTall + 1.0) + "\"><line x1=\"0\" x2=\"" + at(width) + "\" y1=\"" +
         at(kTall + 0.5) + "\" y2=\"" + at(kTall + 0.5) + "\" class=\"grid\"/><path d=\"" + path +
         "\"/></svg>";
}

std::string difference_chart(const verify::TensorDiff& diff) {
  std::vector<Bar> bars;
  for (size_t i = 0; i < diff.histogram.size(); ++i) {
    const int64_t n = diff.histogram[i];
    bars.push_back({verify::kBucketNames[i], count_text(n), "",
                    n ? std::log2(1.0 + static_cast<double>(n)) : 0.0});
  }
  return bar_chart(bars);
}

std::string bar_chart(const std::vector<Bar>& bars) {
  double most = 0.0;
  for (const Bar& b : bars) most = std::max(most, b.value);
  std::string html = "<div class=\"bars\">";
  for (const Bar& b : bars) {
    const double percent = most > 0.0 ? 100.0 * b.value / most : 0.0;
    html += "<span class=\"label\" title=\"" + html_escaped(b.title) + "\">" +
            html_escaped(b.label) +
            "</span><span class=\"track\"><span class=\"bar\" style=\"width:" + at(percent) +
            "%\"></span></span><span class=\"value\">" + html_escaped(b.text) + "</span>";
  }
  return html + "</div>";
}

}  // namespace edgetwin::report
