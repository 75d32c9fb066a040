#include "targets/edgetpu/decompile/places/window_reads.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kWindowWord = 4;

// Rows or columns that the windows of so many positions read, ascending, each once.
std::vector<int64_t> lines_read(int positions, int stride, int kernel, int dilation) {
  std::vector<int64_t> lines;
  for (int64_t p = 0; p < positions; ++p) {
    for (int64_t k = 0; k < kernel; ++k) lines.push_back(p * stride + k * dilation);
  }
  std::ranges::sort(lines);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace

std::optional<std::vector<WindowWord>> window_words(const WindowWalk& walk, const TileBox& box,
                                                    int64_t start, int64_t row,
                                                    const std::vector<int32_t>& words) {
  const SeenWindow& w = walk.seen;
  const auto rows = lines_read(box.y1 - box.y0, w.stride_h, w.kernel_h, w.dilation);
  const auto columns = lines_read(box.x1 - box.x0, w.stride_w, w.kernel_w, w.dilation);
  if (rows.size() * columns.size() * static_cast<size_t>(walk.words) != words.size()) {
    return std::nullopt;
  }
  // The first word of all is the first one's, the last of all the last one's.
  const int64_t last = start + rows.back() * row + columns.back() * walk.pixel;
  if (start / kWindowWord != words.front() || last / kWindowWord + walk.words - 1 != words.back()) {
    return std::nullopt;
  }
  std::vector<WindowWord> found;
  found.reserve(words.size());
  for (const int64_t y : rows) {
    for (const int64_t x : columns) {
      const int64_t at = start + y * row + x * walk.pixel;
      const auto py = static_cast<int>(y + int64_t{box.y0} * w.stride_h);
      const auto px = static_cast<int>(x + int64_t{box.x0} * w.stride_w);
      if (at % kWindowWord != 0 || py >= walk.height || px >= walk.width) return std::nullopt;
      for (int k = 0; k < walk.words; ++k) found.push_back({at / kWindowWord + k, py, px, k});
    }
  }
  if (!std::ranges::is_sorted(found, {}, &WindowWord::at)) {
    std::ranges::sort(found, {}, &WindowWord::at);
  }
  return std::ranges::equal(found, words, {}, &WindowWord::at) ? std::optional(found)
                                                               : std::nullopt;
}

}  // namespace edgetwin::edgetpu
