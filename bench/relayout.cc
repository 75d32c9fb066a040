// How long a tiled output takes to become dense, beside a plain copy of as many bytes.
#include <chrono>
#include <cstdio>
#include <cstring>

#include "formats/darwinn/relayout.h"

namespace {

using namespace edgetwin;
using darwinn::Layer;

// height x width x depth over 4 x 4 tiles, as the compiler lays it out.
Layer tiled(int height, int width, int depth) {
  Layer l;
  l.kind = darwinn::LayerKind::output;
  l.y_dim = height;
  l.x_dim = width;
  l.z_dim = depth;
  const int padded = (depth + 3) / 4 * 4;
  darwinn::OutputLayout t;
  int offset = 0;
  for (int r = 0; r < 4; ++r) {
    const int rows = height * (r + 1) / 4 - height * r / 4;
    for (int y = 0; y < rows; ++y) {
      t.y_tile.push_back(4 * r);
      t.y_local.push_back(y);
    }
    for (int c = 0; c < 4; ++c) {
      const int columns = width * (c + 1) / 4 - width * c / 4;
      t.tile_offset.push_back(offset);
      offset += rows * columns * padded;
      for (int x = 0; r == 0 && x < columns; ++x) {
        t.x_tile.push_back(c);
        t.x_local.push_back(x * padded);
        t.x_row_size.push_back(columns * padded);
      }
    }
  }
  l.layout = t;
  l.size_bytes = (offset + 7) / 8 * 8;
  return l;
}

template <class F>
double microseconds(F work) {
  double best = 1e9;
  for (int round = 0; round < 200; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    best = took.count() < best ? took.count() : best;
  }
  return best;
}

}  // namespace

int main() {
  const int sizes[][3] = {{64, 64, 8},  {33, 33, 19},  {48, 48, 17},
                          {46, 61, 34}, {128, 128, 1}, {257, 257, 21}};
  std::printf("%-14s %12s %12s %12s\n", "output", "to dense us", "to tiled us", "copy us");
  for (const auto& s : sizes) {
    const auto made = darwinn::Relayout::make(tiled(s[0], s[1], s[2]));
    if (!made.ok()) return 1;
    Bytes chip(made->tiled_bytes(), std::byte{1});
    Bytes dense(made->dense_bytes());
    const double to_dense = microseconds([&] { made->to_dense(chip, dense); });
    const double to_tiled = microseconds([&] { made->to_tiled(dense, chip); });
    const double copy = microseconds([&] { std::memcpy(chip.data(), dense.data(), dense.size()); });
    std::printf("%4dx%dx%-6d %12.2f %12.2f %12.2f\n", s[0], s[1], s[2], to_dense, to_tiled, copy);
  }
  return 0;
}
