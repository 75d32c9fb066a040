#include "image/espdl/geometry.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::espdl_image {
namespace {

// In 1/1024, to the nearest even. Limited, so that absurd matrices stay outside every picture.
int64_t table_entry(float v) {
  constexpr float kMost = 1e15F;
  const float scaled = std::nearbyint(v * 1024.0F);
  if (std::isnan(scaled)) return static_cast<int64_t>(kMost);
  return static_cast<int64_t>(std::clamp(scaled, -kMost, kMost));
}

int trunc_to_int(float v) { return static_cast<int>(v); }

}  // namespace

Border letterbox_border(int width, int height, int target_width, int target_height) {
  const float sx = static_cast<float>(target_width) / static_cast<float>(width);
  const float sy = static_cast<float>(target_height) / static_cast<float>(height);
  Border b;
  if (sx < sy) {
    const int pad = target_height - trunc_to_int(sx * static_cast<float>(height));
    b.top = pad / 2;
    b.bottom = pad - b.top;
  } else {
    const int pad = target_width - trunc_to_int(sy * static_cast<float>(width));
    b.left = pad / 2;
    b.right = pad - b.left;
  }
  return b;
}

Placement placement_of(int source_width, int source_height, int target_width, int target_height,
                       const Border& border, int x1, int y1) {
  Placement p;
  const int width = target_width - border.left - border.right;
  const int height = target_height - border.top - border.bottom;
  p.inverse_x = static_cast<float>(source_width) / static_cast<float>(width);
  p.inverse_y = static_cast<float>(source_height) / static_cast<float>(height);
  p.factor_x = 1.0F / p.inverse_x;
  p.factor_y = 1.0F / p.inverse_y;
  p.border = border;
  p.x1 = x1;
  p.y1 = y1;
  return p;
}

std::vector<int32_t> nearest_lines(int source, int target) {
  const float k = static_cast<float>(source) / static_cast<float>(target);
  std::vector<int32_t> lines(static_cast<size_t>(target));
  for (int i = 0; i < target; ++i) {
    const int position = trunc_to_int(static_cast<float>(i) * k);
    lines[static_cast<size_t>(i)] = std::min(position, source - 1);
  }
  return lines;
}

AffineTables affine_tables(const std::array<float, 6>& inverse, int width, int height) {
  AffineTables t;
  for (int i = 0; i < width; ++i) {
    const auto column = static_cast<float>(i);
    t.x_of_column.push_back(table_entry(inverse[0] * column));
    t.y_of_column.push_back(table_entry(inverse[3] * column));
  }
  for (int j = 0; j < height; ++j) {
    const auto row = static_cast<float>(j);
    const float x = inverse[1] * row;
    const float y = inverse[4] * row;
    t.x_of_row.push_back(table_entry(x + inverse[2]));
    t.y_of_row.push_back(table_entry(y + inverse[5]));
  }
  return t;
}

std::array<float, 6> runtime_inverse(const std::array<float, 6>& m) {
  const double determinant = static_cast<double>(m[0]) * static_cast<double>(m[4]) -
                             static_cast<double>(m[1]) * static_cast<double>(m[3]);
  const float d = determinant != 0.0 ? static_cast<float>(1.0 / determinant) : 0.0F;
  std::array<float, 6> n{};
  n[0] = m[4] * d;
  n[1] = -m[1] * d;
  n[3] = -m[3] * d;
  n[4] = m[0] * d;
  const float x0 = -m[0] * m[2];
  const float x1 = m[1] * m[5];
  const float y0 = -m[3] * m[2];
  const float y1 = m[4] * m[5];
  n[2] = x0 - x1;
  n[5] = y0 - y1;
  return n;
}

}  // namespace edgetwin::espdl_image
