#include "targets/edgetpu/decompile/stages/resize_walk.h"

#include <algorithm>

#include "targets/edgetpu/decompile/stages/narrow_memory.h"

namespace edgetwin::edgetpu {

ResizeWalk resize_walk(const Instruction& instruction, const Nest& nest) {
  constexpr size_t kColumns = 2, kRows = 3, kWords = 5;  // loops
  const auto number = [](uint64_t n) { return static_cast<int64_t>(n); };
  ResizeWalk w;
  w.columns.start = number(instruction.get("columns.start"));
  w.columns.step = number(instruction.get("columns.step"));
  w.columns.outputs = nest.loop[kColumns];
  w.columns.pitch = number(instruction.get("columns.pitch"));
  w.rows.start = number(instruction.get("rows.start"));
  w.rows.step = number(instruction.get("rows.step"));
  w.rows.outputs = nest.loop[kRows];
  w.rows.pitch = number(instruction.get("rows.pitch"));
  w.start = nest.in.start;
  w.words = nest.loop[kWords];
  return w;
}

std::vector<int64_t> ResizeWalk::places() const {
  constexpr int64_t kWord = 4;
  const auto in_memory = [](int64_t n) { return n > 0 && n <= kNarrowWords; };
  if (!in_memory(rows.outputs) || !in_memory(columns.outputs) || !in_memory(words)) return {};
  const int64_t h = rows.lines(), w = columns.lines();
  if (!in_memory(h) || !in_memory(w) || !in_memory(h * w) || !in_memory(h * w * words)) return {};
  std::vector<int64_t> all;
  for (int64_t y = 0; y < h; ++y) {
    for (int64_t x = 0; x < w; ++x) {
      const int64_t at = start + y * rows.pitch + x * columns.pitch;
      if (at % kWord != 0) return {};
      for (int64_t k = 0; k < words; ++k) all.push_back(at / kWord + k);
    }
  }
  const bool ascending = std::ranges::adjacent_find(all, std::ranges::greater_equal{}) == all.end();
  return ascending && all.front() >= 0 && all.back() < kNarrowWords ? all : std::vector<int64_t>{};
}

}  // namespace edgetwin::edgetpu
