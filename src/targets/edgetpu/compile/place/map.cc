#include "targets/edgetpu/compile/place/map.h"

#include <algorithm>

namespace edgetwin::edgetpu::compiler {

void Axis::widen(const Window& w) {
  for (int t = 0; t < kGrid; ++t) {
    const auto k = static_cast<size_t>(t);
    const int64_t first = part_begin(w.outputs, t);
    const int64_t end = part_begin(w.outputs, t + 1);
    if (first == end) continue;
    const int64_t from = w.stride * first - w.front;
    const int64_t to = w.stride * (end - 1) + w.reach() - w.front;
    front[k] = std::max(front[k], begin(t) - from);
    back[k] = std::max(back[k], to - begin(t + 1));
    const bool none = low[k] == high[k];
    low[k] = none ? from : std::min(low[k], from);
    high[k] = none ? to : std::max(high[k], to);
  }
}

// Source: specification "heads" 5.
int64_t Stretch::low(int t) const {
  const int64_t at = start + step * part_begin(outputs, t);
  return at < 0 ? -((-at + kParts - 1) / kParts) : at / kParts;
}

int64_t Stretch::high(int t) const {
  return (start + step * (part_begin(outputs, t + 1) - 1) + kParts) / kParts;
}

void Axis::widen(const Stretch& s) {
  for (int t = 0; t < kGrid; ++t) {
    const auto k = static_cast<size_t>(t);
    if (own(t) == 0 || !s.has(t)) continue;
    const int64_t from = s.low(t), to = s.high(t) + 1;
    front[k] = std::max(front[k], begin(t) - from);
    back[k] = std::max(back[k], to - begin(t + 1));
    const bool none = low[k] == high[k];
    low[k] = none ? from : std::min(low[k], from);
    high[k] = none ? to : std::max(high[k], to);
  }
}

void Axis::widen(const Axis& other) {
  for (size_t k = 0; k < kGrid; ++k) {
    front[k] = std::max(front[k], other.front[k]);
    back[k] = std::max(back[k], other.back[k]);
  }
}

bool Axis::can_hand_on() const {
  for (int t = 0; t < kGrid; ++t) {
    const auto k = static_cast<size_t>(t);
    if (t > last() && (front[k] != 0 || back[k] != 0)) return false;
    // What is there of the picture.
    const int64_t before = std::min(front[k], begin(t));
    const int64_t after = t < last() ? std::min(back[k], size - begin(t + 1)) : 0;
    if ((before > 0 && own(t - 1) == 0) || (after > 0 && own(t + 1) == 0)) return false;
  }
  return true;
}

void Axis::hand_on() {
  handed = true;
  for (int t = 1; t <= last(); ++t) {
    const auto k = static_cast<size_t>(t);
    back[k] = std::max(back[k], back[k - 1] - own(t));
  }
  for (int t = last() - 1; t >= 0; --t) {
    const auto k = static_cast<size_t>(t);
    front[k] = std::max(front[k], front[k + 1] - own(t));
  }
}

int64_t Axis::need_begin(int t) const {
  const auto k = static_cast<size_t>(t);
  if (handed && low[k] == high[k]) return front[k];
  return low[k] == high[k] ? 0 : low[k] - (begin(t) - front[k]);
}

int64_t Axis::need_end(int t) const {
  const auto k = static_cast<size_t>(t);
  if (handed && low[k] == high[k]) return front[k];
  return low[k] == high[k] ? total(t) : high[k] - (begin(t) - front[k]);
}

bool Axis::bordered() const {
  for (size_t k = 0; k < kGrid; ++k) {
    if (front[k] != 0 || back[k] != 0) return true;
  }
  return false;
}

int Axis::last() const {
  int t = kGrid - 1;
  while (t > 0 && own(t) == 0) --t;
  return t;
}

bool Axis::by_neighbours() const {
  if (!bordered()) return true;
  if (size < kGrid) return false;
  for (int t = 0; t < kGrid; ++t) {
    const auto k = static_cast<size_t>(t);
    if (t > 0 && front[k] > own(t - 1)) return false;
    if (t + 1 < kGrid && back[k] > own(t + 1)) return false;
  }
  return true;
}

int64_t Axis::offset(int t, const Window& w) const {
  if (everywhere) return 0;
  return w.stride * part_begin(w.outputs, t) - w.front - (begin(t) - front[static_cast<size_t>(t)]);
}

int64_t Map::own(int r, int c) const {
  return base + y.front[static_cast<size_t>(r)] * row(c) +
         x.front[static_cast<size_t>(c)] * pixel();
}

int64_t Map::bytes() const {
  int64_t rows = 0, columns = 0;
  for (int t = 0; t < kGrid; ++t) {
    rows = std::max(rows, y.total(t)), columns = std::max(columns, x.total(t));
  }
  return rows * columns * pixel();
}

uint32_t Map::tiles() const {
  uint32_t mask = 0;
  for (int t = 0; t < kGrid * kGrid; ++t) {
    if (has(t / kGrid, t % kGrid)) mask |= 1U << t;
  }
  return mask;
}

Map Map::vector(int64_t elements) {
  Map map;
  map.y.everywhere = map.x.everywhere = true;
  map.channels = elements;
  return map;
}

}  // namespace edgetwin::edgetpu::compiler
