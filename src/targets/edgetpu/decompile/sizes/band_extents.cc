#include "targets/edgetpu/decompile/sizes/band_extents.h"

#include <algorithm>
#include <array>

namespace edgetwin::edgetpu {
namespace {

// Columns of a band over the first row of tiles, rows over the first column; 0: not to be seen.
std::pair<int64_t, int64_t> extent_of_band(const Stage& stage, const SizeContext& context,
                                           bool depthwise) {
  std::array<int64_t, 4> columns{};
  std::array<int64_t, 4> rows{};
  for (const size_t s : stage.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) continue;
    for (unsigned t = 0; t < 4; ++t) {
      if ((n.tiles >> t & 1U) != 0) columns[t] = std::max(columns[t], w->columns);
      if ((n.tiles >> (4 * t) & 1U) != 0) rows[t] = std::max(rows[t], w->rows);
    }
  }
  return {columns[0] + columns[1] + columns[2] + columns[3], rows[0] + rows[1] + rows[2] + rows[3]};
}

}  // namespace

BandExtents band_extents(const DecompiledLayer& l, const SizeContext& context) {
  BandExtents b;
  for (const size_t s : l.stages) {
    const auto band = extent_of_band(context.stages[s], context, l.type == LayerType::depthwise);
    if (s == l.stages.front()) b.first = band;
    b.same_width = b.same_width && band.first == b.first.first;
    b.same_height = b.same_height && band.second == b.first.second;
    b.width += band.first;
    b.height += band.second;
  }
  return b;
}

int64_t width_of_tiles(const DecompiledLayer& l, const SizeContext& context, bool depthwise) {
  std::array<int64_t, 4> columns{};
  const auto& first = context.stages[l.stages.front()];
  for (const size_t s : first.steps) {
    const Nest& n = context.replay.steps.nest(s);
    const auto w = window_of(n, depthwise);
    if (!w) return 0;
    for (unsigned t = 0; t < 4; ++t) {
      if ((n.tiles >> t & 1U) == 0) continue;
      if (w->columns == 0) return 0;
      columns[t] = w->columns;
    }
  }
  return columns[0] + columns[1] + columns[2] + columns[3];
}

}  // namespace edgetwin::edgetpu
