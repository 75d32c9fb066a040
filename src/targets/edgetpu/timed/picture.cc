#include <array>

#include "plot/chart.h"
#include "targets/edgetpu/sync/clock.h"
#include "targets/edgetpu/timed/timeline.h"

namespace edgetwin::edgetpu::timed {
namespace {

constexpr double kWidth = 1200.0;
constexpr double kLeft = 120.0;
constexpr double kRow = 22.0;
constexpr double kTop = 34.0;
constexpr std::array kLaneColors = {plot::kBlue, plot::kOrange, plot::kGreen,
                                    plot::kRed,  plot::kPurple, plot::kGrey};

// A row for each engine of the tile, and one for each of the scalar core's.
size_t row_of(uint32_t lane) {
  if (lane >= sync::kScalarLane) return kTileEngines + (lane - sync::kScalarLane);
  return lane % sync::kTileLanes / 2;
}

std::string row_name(size_t row) {
  constexpr std::array<std::string_view, sync::kCoreEngines> kCore = {
      "scalar", "infeed", "infeed (params)", "param", "outfeed"};
  return std::string(row < kTileEngines ? tile_engine_name(row) : kCore.at(row - kTileEngines));
}

}  // namespace

plot::Drawing lanes(const sync::SyncReport& report, size_t tile) {
  plot::Drawing d;
  const size_t rows = kTileEngines + sync::kCoreEngines;
  d.name = "Engines of tile " + std::to_string(tile) + " over time";
  d.width = kWidth;
  d.height = kTop + kRow * static_cast<double>(rows) + 30.0;
  const double steps = static_cast<double>(std::max<int64_t>(1, report.time));
  const double scale = (kWidth - kLeft - 20.0) / steps;
  d.texts.push_back({{10.0, 16.0}, d.name + ", by the cost model", {}, 12.0, true});
  for (size_t row = 0; row < rows; ++row) {
    const double y = kTop + kRow * static_cast<double>(row);
    d.texts.push_back({{10.0, y + kRow / 2}, row_name(row), {}, 11.0, false});
    d.lines.push_back({{kLeft, y + kRow}, {kWidth - 20.0, y + kRow}});
  }
  for (const sync::Busy& b : report.busy) {
    const bool core = b.lane >= sync::kScalarLane;
    if (!core && b.lane / sync::kTileLanes != tile) continue;
    const auto& item = report.items[b.item];
    plot::DrawingRect r;
    const double x = kLeft + scale * static_cast<double>(b.begin);
    const double w = std::max(0.3, scale * static_cast<double>(b.end - b.begin));
    const double y = kTop + kRow * static_cast<double>(row_of(b.lane));
    const bool second = !core && b.lane % 2 == 1;
    const double top = y + (second ? kRow / 2 : 2.0);
    r.at = {x, top, x + w, top + kRow / 2 - 3.0};
    r.color = kLaneColors.at(item.layer % kLaneColors.size());
    r.title = std::string(item.engine) + ", layer " + std::to_string(item.layer) + ", steps " +
              std::to_string(b.begin) + " to " + std::to_string(b.end);
    d.rects.push_back(std::move(r));
  }
  const double bottom = kTop + kRow * static_cast<double>(rows) + 16.0;
  d.texts.push_back({{kLeft, bottom}, "0", {}, 11.0, false});
  d.texts.push_back({{kWidth - 20.0, bottom},
                     std::to_string(report.time) + " steps of 2 ns",
                     plot::DrawingText::Anchor::end,
                     11.0,
                     false});
  return d;
}

}  // namespace edgetwin::edgetpu::timed
