#include <algorithm>

#include "plot/chart.h"
#include "targets/edgetpu/compile/outlook/outlook.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr double kPictureWidth = 960.0, kBarsLeft = 300.0, kBarsRight = 860.0, kBarHeight = 16.0;
constexpr double kBarsTop = 56.0;
constexpr double kTileBytes = 196'608.0;
constexpr size_t kLongestLabel = 44;

plot::DrawingRect bar(double y, int64_t bytes, plot::Color color, double inset) {
  plot::DrawingRect r;
  const double share = static_cast<double>(bytes) / kTileBytes;
  r.at = {kBarsLeft, y + inset, kBarsLeft + share * (kBarsRight - kBarsLeft),
          y + kBarHeight - inset - 2.0};
  r.color = color;
  return r;
}

}  // namespace

plot::Drawing memory_picture(const std::vector<MemoryBar>& bars) {
  plot::Drawing d;
  d.name = "Narrow memory of the fullest tile by layer";
  d.width = kPictureWidth;
  d.height = kBarsTop + kBarHeight * static_cast<double>(bars.size()) + 24.0;
  d.texts.push_back({{10.0, 16.0}, d.name, {}, 12.0, true});
  d.texts.push_back({{10.0, 34.0},
                     "light: all tensors in use at that layer; dark: the layer's result",
                     {},
                     11.0,
                     false});
  const double bottom = d.height - 20.0;
  d.lines.push_back({{kBarsRight, kBarsTop - 6.0}, {kBarsRight, bottom}});
  d.texts.push_back(
      {{kBarsRight, 46.0}, "196,608 bytes", plot::DrawingText::Anchor::middle, 10.0, false});
  for (size_t k = 0; k < bars.size(); ++k) {
    const MemoryBar& b = bars[k];
    const double y = kBarsTop + kBarHeight * static_cast<double>(k);
    std::string label = b.label;
    if (label.size() > kLongestLabel) label = label.substr(0, kLongestLabel - 3) + "...";
    d.texts.push_back({{10.0, y + kBarHeight / 2}, label, {}, 10.0, false});
    plot::DrawingRect live = bar(y, b.live, plot::kBlue, 0.0);
    live.opacity = 0.35;
    live.title = b.label + ": " + std::to_string(b.live) + " bytes in use";
    d.rects.push_back(std::move(live));
    d.rects.push_back(bar(y, std::min(b.result, b.live), plot::kBlue, 3.0));
    d.texts.push_back({{kPictureWidth - 10.0, y + kBarHeight / 2},
                       std::to_string(b.live),
                       plot::DrawingText::Anchor::end,
                       10.0,
                       false});
  }
  return d;
}

}  // namespace edgetwin::edgetpu::compiler
