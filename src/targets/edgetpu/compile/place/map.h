// Where the positions of a tensor lie: rows and columns are split over the 4 x 4 tiles, and each
// tile keeps a border of what the windows of its readers reach. docs/edgetpu-compiler.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace edgetwin::edgetpu::compiler {

inline constexpr int kGrid = 4;  // tiles in a row, and rows of tiles

// First row or column of part t of 4: ceil(n * t / 4).
constexpr int64_t part_begin(int64_t n, int t) { return (n * t + kGrid - 1) / kGrid; }
constexpr int64_t part_size(int64_t n, int t) { return part_begin(n, t + 1) - part_begin(n, t); }

// A window that goes over rows or columns: `outputs` places of it.
struct Window {
  int64_t outputs = 1, kernel = 1, stride = 1, front = 0, dilation = 1;
  int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

// A reader that makes each of its rows or columns of two neighbours: output i lies at (start + step
// * i) / 128 of the input's.
struct Stretch {
  static constexpr int64_t kParts = 128;
  int64_t outputs = 1, start = 0, step = kParts;
  // The first row or column that tile t reads, and the last.
  int64_t low(int t) const;
  int64_t high(int t) const;
  bool has(int t) const { return part_size(outputs, t) != 0; }
};

// Rows or columns of a tensor over four tiles.
struct Axis {
  int64_t size = 1;
  bool everywhere = false;                     // every tile has all of them
  std::array<int64_t, kGrid> front{}, back{};  // border before and after the own part
  // What windows read, counted from the tensor's first row or column; nothing: low == high.
  std::array<int64_t, kGrid> low{}, high{};
  bool handed = false;  // borders may be wider than a neighbour's part: hand_on()
  explicit Axis(int64_t n = 1) : size(n) {}
  int64_t begin(int t) const { return everywhere ? 0 : part_begin(size, t); }
  int64_t own(int t) const { return everywhere ? size : part_size(size, t); }
  int64_t total(int t) const {
    return front[static_cast<size_t>(t)] + own(t) + back[static_cast<size_t>(t)];
  }
  // Makes borders wide enough for a reader.
  void widen(const Window& w);
  void widen(const Axis& other);  // as wide as those of a tensor of the same size
  void widen(const Stretch& s);
  bool bordered() const;
  int last() const;  // the last tile that has a part
  // Whether borders come from the next tile alone, and each tile has a part.
  bool by_neighbours() const;
  // Whether neighbours can hand on what others have of a border: a tile without a part has none,
  // and no border lies beyond one.
  bool can_hand_on() const;
  // Borders of the tiles that hand on are as wide as those that they hand on want. Source:
  // specification "compiler" 5.2.
  void hand_on();
  // Rows or columns of the tile's buffer that windows read; all where no window does.
  int64_t need_begin(int t) const;
  int64_t need_end(int t) const;
  // Where the window of the tile's first output begins, in the tile's buffer.
  int64_t offset(int t, const Window& w) const;
};

// A tensor of several positions in narrow memory, in bytes.
struct Map {
  Axis y, x;
  int64_t channels = 0;
  int64_t base = 0;
  int64_t words() const { return (channels + 3) / 4; }
  int64_t pixel() const { return 4 * words(); }
  int64_t row(int column) const { return x.total(column) * pixel(); }
  // First byte of the own part of a tile.
  int64_t own(int r, int c) const;
  int64_t bytes() const;  // of the tile that has most
  bool has(int r, int c) const { return y.own(r) != 0 && x.own(c) != 0; }
  uint32_t tiles() const;  // that have a part
  // A vector that every tile has whole, as one position.
  static Map vector(int64_t elements);
  bool bordered() const { return y.bordered() || x.bordered(); }
};
// In every tile as wide, of tensors of one size.
inline bool same_borders(const Map& a, const Map& b) {
  const auto same = [](const Axis& p, const Axis& q) {
    return p.front == q.front && p.back == q.back;
  };
  return same(a.y, b.y) && same(a.x, b.x);
}

}  // namespace edgetwin::edgetpu::compiler
