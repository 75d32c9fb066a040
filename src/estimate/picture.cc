// Where each tensor lies, and when: steps from left to right, addresses from bottom to top; one
// picture for each region.
#include <algorithm>
#include <map>

#include "base/shown.h"
#include "estimate/output.h"
#include "plot/chart.h"
#include "report/format.h"

namespace edgetwin::estimates {
namespace {

constexpr double kWidth = 960, kHeight = 320, kLeft = 90, kTop = 34, kBottom = 30;
constexpr plot::Color kColors[] = {plot::kBlue, plot::kOrange, plot::kGreen, plot::kPurple,
                                   plot::kGrey};

struct Extent {
  int64_t bytes = 1;
  int steps = 1;
};

Extent extent_of(const std::vector<const EstimatePlacement*>& tensors) {
  Extent e;
  for (const EstimatePlacement* p : tensors) {
    e.bytes = std::max(e.bytes, p->offset + p->bytes);
    e.steps = std::max({e.steps, p->first + 1, p->last});
  }
  return e;
}

void add_axes(plot::Drawing& d, const std::string& region, const Extent& e) {
  const double bottom = kHeight - kBottom;
  d.lines.push_back({{kLeft, kTop}, {kLeft, bottom}});
  d.lines.push_back({{kLeft, bottom}, {kWidth - 10, bottom}});
  using Anchor = plot::DrawingText::Anchor;
  d.texts.push_back({{kLeft, 16}, region + ", bytes over steps", Anchor::start, 13.0, true});
  d.texts.push_back({{kLeft - 6, kTop}, report::count_text(e.bytes), Anchor::end});
  d.texts.push_back({{kLeft - 6, bottom}, "0", Anchor::end});
  d.texts.push_back({{kLeft, bottom + 14}, "step 0", Anchor::start});
  d.texts.push_back({{kWidth - 10, bottom + 14}, std::to_string(e.steps), Anchor::end});
}

plot::Drawing picture_of(const std::string& region,
                         const std::vector<const EstimatePlacement*>& tensors) {
  plot::Drawing d;
  d.name = "memory of " + region + " over time";
  d.width = kWidth;
  d.height = kHeight;
  const Extent e = extent_of(tensors);
  add_axes(d, region, e);
  const double across = (kWidth - 10 - kLeft) / e.steps;
  const double up = (kHeight - kBottom - kTop) / static_cast<double>(e.bytes);
  size_t i = 0;
  for (const EstimatePlacement* p : tensors) {
    const int end = p->last < 0 ? e.steps : std::max(p->last, p->first + 1);
    plot::DrawingRect r;
    const double height = std::max(1.0, up * static_cast<double>(p->bytes));
    r.at.left = kLeft + across * p->first;
    r.at.right = kLeft + across * end;
    r.at.bottom = kHeight - kBottom - up * static_cast<double>(p->offset);
    r.at.top = r.at.bottom - height;
    r.color = kColors[i++ % std::size(kColors)];
    const std::string name = shown_text(p->tensor, LineEnds::escape);
    r.title = name + ": " + report::bytes_text(p->bytes) + " at " + report::count_text(p->offset) +
              ", steps " + std::to_string(p->first) + " to " + std::to_string(end);
    r.label = report::shortened(name, 24);
    d.rects.push_back(std::move(r));
  }
  return d;
}

}  // namespace

plot::Drawing placement_picture(const Estimate& estimate) {
  std::map<std::string, std::vector<const EstimatePlacement*>> regions;
  for (const EstimatePlacement& p : estimate.memory.placement) {
    if (!p.shares) regions[p.region].push_back(&p);
  }
  std::vector<plot::Drawing> all;
  for (const auto& [region, tensors] : regions) all.push_back(picture_of(region, tensors));
  if (all.empty()) return {};
  return plot::stacked(all, "memory over time");
}

}  // namespace edgetwin::estimates
