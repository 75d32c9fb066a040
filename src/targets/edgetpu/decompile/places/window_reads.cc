#include "targets/edgetpu/decompile/places/window_reads.h"

#include <algorithm>
#include <set>

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kWindowWord = 4;

// Rows or columns that the windows of so many positions read, each once.
std::set<int64_t> lines_read(int positions, int stride, int kernel, int dilation) {
  std::set<int64_t> lines;
  for (int64_t p = 0; p < positions; ++p) {
    for (int64_t k = 0; k < kernel; ++k) lines.insert(p * stride + k * dilation);
  }
  return lines;
}

}  // namespace

std::optional<std::vector<WindowWord>> window_words(const WindowWalk& walk, const TileBox& box,
                                                    int64_t start, int64_t row, size_t count) {
  const SeenWindow& w = walk.seen;
  const auto rows = lines_read(box.y1 - box.y0, w.stride_h, w.kernel_h, w.dilation);
  const auto columns = lines_read(box.x1 - box.x0, w.stride_w, w.kernel_w, w.dilation);
  if (rows.size() * columns.size() * static_cast<size_t>(walk.words) != count) return std::nullopt;
  std::vector<WindowWord> words;
  words.reserve(count);
  for (const int64_t y : rows) {
    for (const int64_t x : columns) {
      const int64_t at = start + y * row + x * walk.pixel;
      const auto py = static_cast<int>(y + int64_t{box.y0} * w.stride_h);
      const auto px = static_cast<int>(x + int64_t{box.x0} * w.stride_w);
      if (at % kWindowWord != 0 || py >= walk.height || px >= walk.width) return std::nullopt;
      for (int k = 0; k < walk.words; ++k) words.push_back({at / kWindowWord + k, py, px, k});
    }
  }
  if (!std::ranges::is_sorted(words, {}, &WindowWord::at)) {
    std::ranges::sort(words, {}, &WindowWord::at);
  }
  return words;
}

}  // namespace edgetwin::edgetpu
