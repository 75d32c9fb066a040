#include "targets/max78/page/memory_drawing.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "targets/max78/analysis/memory_map.h"
#include "targets/max78/page/texts.h"

namespace edgetwin::max78 {
namespace {

constexpr double kLeft = 76, kRight = 950;
constexpr plot::Color kInputColor = {120, 126, 134};

plot::Color color_of(int layer) {
  static constexpr std::array<plot::Color, 8> kColors = {{{76, 123, 217},
                                                          {47, 165, 154},
                                                          {217, 140, 63},
                                                          {154, 111, 208},
                                                          {88, 165, 72},
                                                          {207, 95, 120},
                                                          {74, 163, 207},
                                                          {176, 160, 58}}};
  return layer < 0 ? kInputColor : kColors[static_cast<size_t>(layer) % kColors.size()];
}

std::string label_of(int layer) { return layer < 0 ? "in" : "L" + std::to_string(layer); }

// One panel: what a rectangle of the drawing shows from bottom to top.
struct Panel {
  double top, bottom;
  int64_t begin, end;
  double y(int64_t value) const {
    const double part = static_cast<double>(std::clamp(value, begin, end) - begin) /
                        static_cast<double>(std::max<int64_t>(end - begin, 1));
    return bottom - (bottom - top) * part;
  }
};

std::string axis_text(int64_t value, bool hexadecimal) {
  return hexadecimal ? offset_text(value) : std::to_string(value);
}

void axis(plot::Drawing& drawing, const Panel& panel, int64_t step, bool hexadecimal) {
  for (int64_t value = panel.begin; value <= panel.end; value += step) {
    const double y = panel.y(value);
    drawing.lines.push_back({{kLeft, y}, {kRight, y}});
    drawing.texts.push_back(
        {{kLeft - 6, y}, axis_text(value, hexadecimal), plot::DrawingText::Anchor::end, 11, false});
  }
}

// What is used, to whole steps of an axis: the smallest power of two of which six are enough.
struct Used {
  int64_t begin, end, step;
};
Used used_range(int64_t begin, int64_t end, int64_t least_step) {
  int64_t step = least_step;
  const auto down = [&](int64_t v) { return v / step * step; };
  const auto up = [&](int64_t v) { return (v + step - 1) / step * step; };
  while (up(end) - down(begin) > 6 * step) step *= 2;
  return {down(begin), std::max(up(end), down(begin) + step), step};
}

// Names of rectangles that are too thin to hold them: above, or below where another name is.
class OuterLabels {
 public:
  void add(plot::Drawing& drawing, const plot::DrawingRect& rect) {
    if (rect.at.height() > kHeight && rect.at.width() > kLetter * letters(rect) + 4) return;
    const double x = rect.at.left + 2, width = kLetter * letters(rect);
    for (const double y : {rect.at.top - kHeight / 2, rect.at.bottom + kHeight / 2}) {
      const plot::Rect box = {x, y - kHeight / 2, x + width, y + kHeight / 2};
      if (std::any_of(taken_.begin(), taken_.end(), [&](const plot::Rect& r) {
            return box.left < r.right && r.left < box.right && box.top < r.bottom &&
                   r.top < box.bottom;
          })) {
        continue;
      }
      taken_.push_back(box);
      drawing.texts.push_back({{x, y}, rect.label, plot::DrawingText::Anchor::start, 9, false});
      return;
    }
  }
  // What a name must not cover.
  void keep_free(const plot::Rect& rect) { taken_.push_back(rect); }

 private:
  static constexpr double kHeight = 12, kLetter = 6.5;
  static double letters(const plot::DrawingRect& r) { return static_cast<double>(r.label.size()); }
  std::vector<plot::Rect> taken_;
};

class DataDrawing {
 public:
  explicit DataDrawing(const Planning& planning)
      : planning_(planning), plan_(*planning.hardware), regions_(data_regions(planning)) {
    for (const Overlap& o : overlaps(regions_)) {
      if (!o.harmful) continue;
      why_[o.second] += "\n" + overlap_text(planning, regions_, o);
      if (!is_lost(planning, regions_, o)) continue;
      alarmed_.insert(o.first);
      alarmed_.insert(o.second);
    }
  }

  plot::Drawing make() {
    drawing_.name = "data memory by step of execution";
    drawing_.height = 8;
    for (const auto& [members, instances] : panels()) panel(members, instances);
    return std::move(drawing_);
  }

 private:
  // Regions of each data memory, and the memories that have the same ones.
  std::vector<std::pair<std::vector<size_t>, uint64_t>> panels() const {
    std::vector<std::pair<std::vector<size_t>, uint64_t>> found;
    for (int i = 0; i < kProcessors / kInstanceProcessors; ++i) {
      std::vector<size_t> members;
      for (size_t r = 0; r < regions_.size(); ++r) {
        if (((regions_[r].instances() >> i) & 1U) != 0) members.push_back(r);
      }
      if (members.empty()) continue;
      const auto same = std::find_if(found.begin(), found.end(),
                                     [&](const auto& f) { return f.first == members; });
      if (same == found.end()) {
        found.emplace_back(members, uint64_t{1} << i);
      } else {
        same->second |= uint64_t{1} << i;
      }
    }
    return found;
  }

  double x(double step) const {
    return kLeft + (kRight - kLeft) * (step + 1) / (static_cast<double>(plan_.order.size()) + 1);
  }

  void panel(const std::vector<size_t>& members, uint64_t instances) {
    int64_t begin = plan_.chip->instance_bytes(), end = 0;
    for (const size_t r : members) {
      begin = std::min(begin, regions_[r].begin);
      end = std::max(end, regions_[r].end);
    }
    const Used used = used_range(begin, end, 0x10);
    drawing_.texts.push_back(
        {{kLeft, drawing_.height + 8},
         ((instances & (instances - 1)) == 0 ? "data memory " : "data memories ") +
             instances_text(instances) + ", bytes " + offset_text(begin) + " to " +
             offset_text(end - 1) + " of " + offset_text(plan_.chip->instance_bytes()),
         plot::DrawingText::Anchor::start,
         12,
         true});
    const Panel p{drawing_.height + 30, drawing_.height + 30 + 150, used.begin, used.end};
    axis(drawing_, p, used.step, true);
    OuterLabels labels;
    const size_t first = drawing_.rects.size();
    for (const size_t r : members) region(r, p);
    for (size_t i = first; i < drawing_.rects.size(); ++i) labels.keep_free(drawing_.rects[i].at);
    for (size_t i = first; i < drawing_.rects.size(); ++i) {
      labels.add(drawing_, plot::DrawingRect(drawing_.rects[i]));
    }
    steps(p.bottom + 15);
    drawing_.height = p.bottom + 34;
  }

  void region(size_t index, const Panel& p) {
    const DataRegion& r = regions_[index];
    const double end = std::min<double>(std::max(r.read, r.written) + 1.0,
                                        static_cast<double>(plan_.order.size()));
    plot::DrawingRect rect;
    rect.at = {x(r.written), p.y(r.end), x(std::max<double>(end, r.written + 1.0)), p.y(r.begin)};
    rect.at.bottom = std::max(rect.at.bottom, rect.at.top + 1.5);
    rect.color = color_of(r.layer);
    rect.opacity = r.step > 4 ? 0.5 : 0.8;
    rect.alarmed = alarmed_.contains(index);
    rect.label = label_of(r.layer);
    rect.title = region_name(r) + ", bytes " + offset_text(r.begin) + " to " +
                 offset_text(r.end - 1) + (r.streams ? ", a ring that data streams through" : "") +
                 (r.step > 4 ? ", every " + std::to_string(r.step / 4) + " words" : "") +
                 (why_.contains(index) ? why_.at(index) : "");
    drawing_.rects.push_back(std::move(rect));
  }

  // Numbers of layers below the panel, as many as there is room for.
  void steps(double y) {
    const size_t n = plan_.order.size();
    const size_t every = std::max<size_t>(1, (n + 39) / 40);
    drawing_.texts.push_back(
        {{(x(-1) + x(0)) / 2, y}, "load", plot::DrawingText::Anchor::middle, 10, false});
    for (size_t s = 0; s < n; s += every) {
      const double at = static_cast<double>(s);
      drawing_.texts.push_back({{(x(at) + x(at + 1)) / 2, y},
                                label_of(plan_.order[s]),
                                plot::DrawingText::Anchor::middle,
                                10,
                                false});
    }
  }

  const Planning& planning_;
  const HardwarePlan& plan_;
  std::vector<DataRegion> regions_;
  std::set<size_t> alarmed_;
  std::map<size_t, std::string> why_;
  plot::Drawing drawing_;
};

}  // namespace

plot::Drawing data_memory_drawing(const Planning& planning) { return DataDrawing(planning).make(); }

plot::Drawing kernel_memory_drawing(const Planning& planning) {
  const Plan& plan = *planning.placed;
  plot::Drawing drawing;
  drawing.name = "kernel memory by processor";
  int64_t most = 0, begin = INT64_MAX, end = 0;
  for (int p = 0; p < kProcessors; ++p) most = std::max<int64_t>(most, plan.chip->columns(p));
  for (const LayerPlace& l : layer_places(planning)) {
    if (l.kernel_end <= l.kernel_begin) continue;
    begin = std::min(begin, l.kernel_begin);
    end = std::max(end, l.kernel_end);
  }
  const Used used = end > 0 ? used_range(begin, end, 1) : Used{0, most, most};
  const Panel panel{30, 250, used.begin, used.end};
  drawing.texts.push_back({{kLeft, 12},
                           "kernel memory, columns by processor, of " + std::to_string(most),
                           plot::DrawingText::Anchor::start,
                           12,
                           true});
  axis(drawing, panel, used.step, false);
  const auto x = [](int p) { return kLeft + (kRight - kLeft) * p / kProcessors; };
  for (const LayerPlace& l : layer_places(planning)) {
    if (l.kernel_end <= l.kernel_begin || l.kernels_of >= 0) continue;
    // Neighbours make one rectangle.
    const uint64_t map = plan.layer(l.layer).hw_processors;
    for (int p = 0; p < kProcessors; ++p) {
      if (!in_map(map, p)) continue;
      int last = p;
      while (last + 1 < kProcessors && in_map(map, last + 1)) ++last;
      plot::DrawingRect rect;
      rect.at = {x(p), panel.y(l.kernel_end), x(last + 1), panel.y(l.kernel_begin)};
      rect.color = color_of(l.layer);
      rect.label = label_of(l.layer);
      rect.title = "layer " + std::to_string(l.layer) + ", columns " +
                   std::to_string(l.kernel_begin) + " to " + std::to_string(l.kernel_end - 1) +
                   " of processors " + std::to_string(p) + " to " + std::to_string(last);
      drawing.rects.push_back(std::move(rect));
      p = last;
    }
  }
  for (int p = 0; p <= kProcessors; p += 8) {
    const auto anchor =
        p == kProcessors ? plot::DrawingText::Anchor::end : plot::DrawingText::Anchor::start;
    drawing.texts.push_back(
        {{x(p), 262}, p == kProcessors ? "63" : std::to_string(p), anchor, 10, false});
  }
  drawing.height = 280;
  return drawing;
}

plot::Drawing bias_memory_drawing(const Planning& planning) {
  const Plan& plan = *planning.placed;
  plot::Drawing drawing;
  drawing.name = "bias memory by group";
  const int whole = plan.chip->bias_bytes;
  const auto x = [whole](int64_t byte) {
    return kLeft + (kRight - kLeft) * static_cast<double>(byte) / whole;
  };
  drawing.texts.push_back(
      {{kLeft, 12}, "bias memory, bytes by group", plot::DrawingText::Anchor::start, 12, true});
  double y = 26;
  for (int g = 0; g < kGroups; ++g, y += 30) {
    const auto used = static_cast<int64_t>(plan.biases[static_cast<size_t>(g)].size());
    drawing.texts.push_back({{kLeft - 6, y + 11},
                             "group " + std::to_string(g),
                             plot::DrawingText::Anchor::end,
                             11,
                             false});
    drawing.lines.push_back({{kLeft, y + 22}, {kRight, y + 22}});
    // Each layer's biases end where the next ones begin.
    std::map<int64_t, int> starts;
    for (const LayerPlace& l : layer_places(planning)) {
      for (const auto& [group, offset] : l.biases) {
        if (group == g) starts.emplace(offset, l.layer);
      }
    }
    for (auto at = starts.begin(); at != starts.end(); ++at) {
      const int64_t end = std::next(at) == starts.end() ? used : std::next(at)->first;
      plot::DrawingRect rect;
      rect.at = {x(at->first), y, x(end), y + 22};
      rect.color = color_of(at->second);
      rect.label = label_of(at->second);
      rect.title = "layer " + std::to_string(at->second) + ", bytes " + std::to_string(at->first) +
                   " to " + std::to_string(end - 1) + " of group " + std::to_string(g);
      drawing.rects.push_back(std::move(rect));
    }
  }
  for (int i = 0; i <= 4; ++i) {
    const auto anchor = i == 4 ? plot::DrawingText::Anchor::end : plot::DrawingText::Anchor::start;
    drawing.texts.push_back(
        {{x(whole * i / 4), y + 4}, std::to_string(whole * i / 4), anchor, 10, false});
  }
  drawing.height = y + 18;
  return drawing;
}

plot::Drawing memory_drawing(const Planning& planning) {
  std::vector<plot::Drawing> drawings = {data_memory_drawing(planning)};
  if (planning.placed) {
    drawings.push_back(kernel_memory_drawing(planning));
    drawings.push_back(bias_memory_drawing(planning));
  }
  return stacked(drawings, "memories");
}

}  // namespace edgetwin::max78
