// Rendering: a large bitmap of the digit is seen through a random affine map, then softened, lit
// and disturbed. Only + - * / and sqrt are used (a rotation comes from the half-angle formulas), so
// the result does not depend on the mathematics library.

#include "render.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "rng.h"

namespace edgetwin::digits {
namespace {

using Canvas = std::array<float, kPixels>;

constexpr int kOversampling =
    4;  // per axis: the bitmap is about four times as large as the digit drawn

// Maps picture coordinates (relative to the digit's centre) to bitmap coordinates (relative to its
// centre).
struct View {
  float xx, xy, yx, yy;
  float centre_x, centre_y;
};

View random_view(const Glyph& glyph, Rng& rng) {
  const float zoom = static_cast<float>(glyph.height) / rng.between(12.0f, 23.0f);
  const float stretch = rng.between(0.82f, 1.18f);
  const float half_tangent = rng.between(-0.14f, 0.14f);  // about 16 degrees each way
  const float slant = rng.between(-0.25f, 0.25f);
  const float norm = 1.0f + half_tangent * half_tangent;
  const float cosine = (1.0f - half_tangent * half_tangent) / norm;
  const float sine = 2.0f * half_tangent / norm;
  View view{};
  view.xx = zoom * stretch * (cosine + slant * sine);
  view.xy = zoom * stretch * (slant * cosine - sine);
  view.yx = zoom * sine;
  view.yy = zoom * cosine;
  view.centre_x = static_cast<float>(kSide) * 0.5f + rng.between(-2.5f, 2.5f);
  view.centre_y = static_cast<float>(kSide) * 0.5f + rng.between(-2.5f, 2.5f);
  return view;
}

float coverage_at(const Glyph& glyph, float u, float v) {
  const int column = static_cast<int>(std::floor(u + static_cast<float>(glyph.width) * 0.5f));
  const int row = static_cast<int>(std::floor(v + static_cast<float>(glyph.height) * 0.5f));
  if (column < 0 || row < 0 || column >= glyph.width || row >= glyph.height) return 0.0f;
  return static_cast<float>(glyph.coverage[static_cast<std::size_t>(row * glyph.width + column)]);
}

Canvas draw(const Glyph& glyph, const View& view) {
  Canvas canvas{};
  const float step = 1.0f / kOversampling;
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      float sum = 0.0f;
      for (int sample = 0; sample < kOversampling * kOversampling; ++sample) {
        const auto column = static_cast<float>(sample % kOversampling);
        const auto row = static_cast<float>(sample / kOversampling);
        const float dx = static_cast<float>(x) + (column + 0.5f) * step - view.centre_x;
        const float dy = static_cast<float>(y) + (row + 0.5f) * step - view.centre_y;
        sum += coverage_at(glyph, view.xx * dx + view.xy * dy, view.yx * dx + view.yy * dy);
      }
      canvas[static_cast<std::size_t>(y * kSide + x)] = sum * (step * step / 255.0f);
    }
  }
  return canvas;
}

// One pass of the kernel (amount/4, 1 - amount/2, amount/4) along an axis; the border is repeated.
Canvas soften(const Canvas& in, float amount, bool along_x) {
  Canvas out{};
  const int stride = along_x ? 1 : kSide;
  for (int i = 0; i < kPixels; ++i) {
    const int position = along_x ? i % kSide : i / kSide;
    const int before = position > 0 ? i - stride : i;
    const int after = position < kSide - 1 ? i + stride : i;
    const float sides = in[static_cast<std::size_t>(before)] + in[static_cast<std::size_t>(after)];
    out[static_cast<std::size_t>(i)] =
        in[static_cast<std::size_t>(i)] * (1.0f - amount * 0.5f) + sides * amount * 0.25f;
  }
  return out;
}

// Grey values: background, contrast, a gentle slope of light, and noise per pixel.
void expose(const Canvas& canvas, Rng& rng, Picture& picture) {
  const float background = rng.between(0.0f, 80.0f);
  const float ink = rng.between(background + 75.0f, 255.0f);
  const float slope_x = rng.between(-0.8f, 0.8f);
  const float slope_y = rng.between(-0.8f, 0.8f);
  const float noise = rng.between(0.0f, 22.0f);
  for (int i = 0; i < kPixels; ++i) {
    const float x = static_cast<float>(i % kSide) - 13.5f;
    const float y = static_cast<float>(i / kSide) - 13.5f;
    const float value = background + (ink - background) * canvas[static_cast<std::size_t>(i)] +
                        slope_x * x + slope_y * y + noise * rng.bell();
    picture.grey[static_cast<std::size_t>(i)] =
        static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f));
  }
}

Picture render(const FontDigits& font, int label, Rng& rng) {
  Picture picture;
  picture.label = label;
  const Glyph& glyph = font.glyph[static_cast<std::size_t>(label)];
  Canvas canvas = draw(glyph, random_view(glyph, rng));
  const float blur_x = rng.unit();
  const float blur_y = rng.unit();
  canvas = soften(soften(canvas, blur_x, true), blur_y, false);
  expose(canvas, rng, picture);
  return picture;
}

}  // namespace

PictureSet render_set(const std::vector<FontDigits>& fonts, int count, std::uint64_t seed) {
  Rng rng(seed);
  PictureSet set;
  set.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    const int font = rng.below(static_cast<int>(fonts.size()));
    set.push_back(render(fonts[static_cast<std::size_t>(font)], i % kClasses, rng));
  }
  // Shuffled, so that a reader who confuses position and label is found out.
  for (int i = count - 1; i > 0; --i) {
    std::swap(set[static_cast<std::size_t>(i)], set[static_cast<std::size_t>(rng.below(i + 1))]);
  }
  return set;
}

}  // namespace edgetwin::digits
