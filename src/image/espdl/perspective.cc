#include "image/espdl/perspective.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "image/espdl/rules.h"
#include "image/image.h"

namespace edgetwin::espdl_image {
namespace {

constexpr size_t kUnknowns = 8;
using Rows = std::array<std::array<float, kUnknowns * 2>, kUnknowns>;

// (u, v) to (x, y): four equations for x, four for y, with the unit matrix beside them.
Rows equations(const std::array<PointF, 4>& corners, float width, float height) {
  const std::array<PointF, 4> from = {PointF{0.0F, 0.0F}, PointF{width, 0.0F},
                                      PointF{width, height}, PointF{0.0F, height}};
  Rows w{};
  for (size_t i = 0; i < 4; ++i) {
    const float u = from[i].x;
    const float v = from[i].y;
    const float x = corners[i].x;
    const float y = corners[i].y;
    const std::array<float, 8> of_x = {u, v, 1.0F, 0.0F, 0.0F, 0.0F, -x * u, -x * v};
    const std::array<float, 8> of_y = {0.0F, 0.0F, 0.0F, u, v, 1.0F, -y * u, -y * v};
    std::copy(of_x.begin(), of_x.end(), w[i].begin());
    std::copy(of_y.begin(), of_y.end(), w[i + 4].begin());
  }
  for (size_t i = 0; i < kUnknowns; ++i) w[i][kUnknowns + i] = 1.0F;
  return w;
}

// Gauss-Jordan without exchange of rows: a row whose pivot vanishes gets a lower one added.
void invert(Rows& w) {
  constexpr float kTiny = 1e-6F;
  for (size_t i = 0; i < kUnknowns; ++i) {
    if (std::abs(w[i][i]) < kTiny) {
      for (size_t j = i + 1; j < kUnknowns; ++j) {
        if (std::abs(w[j][i]) <= kTiny) continue;
        for (size_t l = 0; l < w[i].size(); ++l) w[i][l] += w[j][l];
        break;
      }
    }
    const float pivot = w[i][i];
    for (float& v : w[i]) v /= pivot;
    for (size_t k = i + 1; k < kUnknowns; ++k) {
      const float factor = -w[k][i];
      for (size_t l = i; l < w[k].size(); ++l) w[k][l] += factor * w[i][l];
    }
  }
  for (size_t i = kUnknowns - 1; i > 0; --i) {
    for (size_t j = i; j-- > 0;) {
      const float factor = -w[j][i];
      for (size_t k = i; k < w[j].size(); ++k) w[j][k] += factor * w[i][k];
    }
  }
}

std::array<float, 9> map_of(const std::array<PointF, 4>& corners, int width, int height) {
  Rows w = equations(corners, static_cast<float>(width), static_cast<float>(height));
  invert(w);
  std::array<float, 9> m{};
  for (size_t i = 0; i < kUnknowns; ++i) {
    float sum = 0.0F;
    for (size_t k = 0; k < kUnknowns; ++k) {
      sum += w[i][kUnknowns + k] * (k < 4 ? corners[k].x : corners[k - 4].y);
    }
    m[i] = sum;
  }
  m[8] = 1.0F;
  return m;
}

std::array<float, 4> cubic_weights(float t) {
  const auto middle = [](float s) { return ((1.25F * s - 2.25F) * s) * s + 1.0F; };
  const float u = t + 1.0F;
  std::array<float, 4> c{};
  c[0] = ((-0.75F * u + 3.75F) * u - 6.0F) * u + 3.0F;
  c[1] = middle(t);
  c[2] = middle(1.0F - t);
  c[3] = ((1.0F - c[0]) - c[1]) - c[2];
  return c;
}

struct Taps {
  std::array<int64_t, 4> lines;
  std::array<float, 4> weights;
};

// The four lines around `at`, limited to the picture.
Taps taps_at(float at, int64_t count) {
  constexpr float kFar = 1e6F;
  const float limited = std::isnan(at) ? 0.0F : std::clamp(at, -kFar, kFar);
  const float low = std::floor(limited);
  Taps t;
  for (size_t i = 0; i < t.lines.size(); ++i) {
    const int64_t line = static_cast<int64_t>(low) + static_cast<int64_t>(i) - 1;
    t.lines[i] = std::clamp<int64_t>(line, 0, count - 1);
  }
  t.weights = cubic_weights(limited - low);
  return t;
}

uint8_t cut_off(float v) {
  return v > 0.0F ? static_cast<uint8_t>(std::min(v, 255.0F)) : uint8_t{0};
}

}  // namespace

Result<Tensor> upright_text(const Tensor& picture, const std::array<PointF, 4>& corners, int width,
                            int height) {
  if (width > kMaxPictureSide || height > kMaxPictureSide ||
      int64_t{width} * height > kMaxPicturePixels) {
    return Error(ErrorCode::out_of_memory, "the text is " + std::to_string(width) + " x " +
                                               std::to_string(height) + " pixels")
        .in_field("box");
  }
  const std::array<float, 9> m = map_of(corners, width, height);
  if (!std::all_of(m.begin(), m.end(), [](float v) { return std::isfinite(v); })) {
    return rule_error(Rule::refused, "the four corners do not span an area").in_field("box");
  }
  EDGETWIN_TRY_ASSIGN(Tensor result, Tensor::zeros(DType::uint8, {height, width, 3}));
  const auto source = picture.as<uint8_t>();
  const int64_t rows = picture.shape[0];
  const int64_t columns = picture.shape[1];
  uint8_t* out = result.as<uint8_t>().data();
  for (int j = 0; j < height; ++j) {
    for (int i = 0; i < width; ++i) {
      const auto x = static_cast<float>(i);
      const auto y = static_cast<float>(j);
      const float d = ((m[6] * x) + (m[7] * y)) + m[8];
      const Taps tx = taps_at((((m[0] * x) + (m[1] * y)) + m[2]) / d, columns);
      const Taps ty = taps_at((((m[3] * x) + (m[4] * y)) + m[5]) / d, rows);
      for (size_t c = 0; c < 3; ++c) {
        float v = 0.0F;
        for (size_t r = 0; r < 4; ++r) {
          for (size_t k = 0; k < 4; ++k) {
            const auto at = static_cast<size_t>((ty.lines[r] * columns + tx.lines[k]) * 3) + c;
            v += (ty.weights[r] * tx.weights[k]) * static_cast<float>(source[at]);
          }
        }
        *out++ = cut_off(v);
      }
    }
  }
  return result;
}

Result<Tensor> turned_left(const Tensor& picture) {
  const int64_t rows = picture.shape[1];
  const int64_t columns = picture.shape[0];
  EDGETWIN_TRY_ASSIGN(Tensor result, Tensor::zeros(DType::uint8, {rows, columns, 3}));
  const auto from = picture.as<uint8_t>();
  uint8_t* out = result.as<uint8_t>().data();
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const auto at = static_cast<size_t>((c * rows + (rows - 1 - r)) * 3);
      for (size_t k = 0; k < 3; ++k) *out++ = from[at + k];
    }
  }
  return result;
}

}  // namespace edgetwin::espdl_image
