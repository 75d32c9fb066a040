#include "targets/edgetpu/decompile/stages/resize_walk.h"

#include <algorithm>

#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {

std::vector<int64_t> ResizeAxis::pixels() const {
  std::vector<int64_t> all;
  for (int64_t k = 0; k < outputs; ++k) {
    const int64_t at = start + k * step, pixel = at / kParts;
    if (all.empty() || all.back() < pixel) all.push_back(pixel);
    if (at % kParts != 0 && all.back() < pixel + 1) all.push_back(pixel + 1);
  }
  return all;
}

std::vector<int64_t> ResizeWalk::all_words(int64_t start) const {
  std::vector<int64_t> all;
  for (const int64_t y : rows.pixels()) {
    for (const int64_t x : columns.pixels()) {
      const int64_t at = (start + y * rows.pitch + x * columns.pitch) / 4;
      for (int64_t k = 0; k < words; ++k) all.push_back(at + k);
    }
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::optional<ResizeWalk> resize_walk(const Instruction& i, const Nest& n) {
  constexpr size_t kColumns = 2, kRows = 3, kWords = 5;
  const auto number = [](uint64_t field) { return static_cast<int64_t>(field); };
  if (n.opcode != Opcode::tensor_resize || n.in.size <= kWords || n.in.level[kWords].net != 4 ||
      number(i.get("columns.level")) != static_cast<int64_t>(kColumns)) {
    return std::nullopt;
  }
  ResizeWalk w;
  w.columns = {n.loop[kColumns], number(i.get("columns.start")), number(i.get("columns.step")),
               number(i.get("columns.pitch"))};
  w.rows = {n.loop[kRows], number(i.get("rows.start")), number(i.get("rows.step")),
            number(i.get("rows.pitch"))};
  w.words = n.in.level[kWords].count;
  const bool real = w.columns.step > 0 && w.rows.step > 0 && w.columns.outputs > 0 &&
                    w.rows.outputs > 0 && w.columns.outputs <= kNarrowWords &&
                    w.rows.outputs <= kNarrowWords && w.words > 0 && w.words <= kNarrowWords;
  if (!real) return std::nullopt;
  // As many pixels as lie between the first output and the last one; all of them in memory.
  const auto last = [](const ResizeAxis& a) {
    return (a.start + (a.outputs - 1) * a.step) / ResizeAxis::kParts + 1;
  };
  const int64_t rows = last(w.rows), columns = last(w.columns);
  if (rows > kNarrowWords || columns > kNarrowWords / rows / w.words) return std::nullopt;
  const int64_t highest =
      n.in.start + rows * w.rows.pitch + columns * w.columns.pitch + 4 * w.words;
  const bool inside = n.in.start >= 0 && n.in.start % 4 == 0 && w.rows.pitch % 4 == 0 &&
                      w.columns.pitch % 4 == 0 && w.rows.pitch >= 0 && w.columns.pitch >= 0 &&
                      highest <= kNarrowBytes;
  return inside ? std::optional(w) : std::nullopt;
}

}  // namespace edgetwin::edgetpu
