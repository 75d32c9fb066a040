#include "train/data/augment.h"

#include <algorithm>
#include <cmath>

#include "train/math/functions.h"
#include "train/math/random.h"

namespace edgetwin::train {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr uint8_t kZero = 128;

double sine(double x) { return cosine(x - kPi / 2); }

double between(Random& random, double limit) { return (2.0 * random.uniform() - 1.0) * limit; }

// A place of the picture; outside of it the input's zero.
struct Plane {
  const uint8_t* bytes;
  int height, width;
  int at(int y, int x) const {
    const bool inside = y >= 0 && y < height && x >= 0 && x < width;
    return inside
               ? bytes[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)]
               : kZero;
  }
};

// Calls value(plane, y, x) for each place and keeps the results.
template <class Value>
void replace(std::span<uint8_t> bytes, const PictureSize& size, const Value& value) {
  const std::vector<uint8_t> old(bytes.begin(), bytes.end());
  size_t out = 0;
  for (int c = 0; c < size.channels; ++c) {
    const Plane plane{old.data() + out, size.height, size.width};
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) bytes[out++] = static_cast<uint8_t>(value(plane, y, x));
    }
  }
}

void move(std::span<uint8_t> bytes, const PictureSize& size, int pad, Random& random) {
  const auto range = static_cast<uint64_t>(2 * pad + 1);
  const int dy = static_cast<int>(random.below(range)) - pad;
  const int dx = static_cast<int>(random.below(range)) - pad;
  replace(bytes, size, [&](const Plane& p, int y, int x) { return p.at(y + dy, x + dx); });
}

void flip(std::span<uint8_t> bytes, const PictureSize& size, Random& random) {
  if (random.below(2) == 0) return;
  replace(bytes, size, [&](const Plane& p, int y, int x) { return p.at(y, size.width - 1 - x); });
}

int bilinear(const Plane& plane, double y, double x) {
  const double top = std::floor(y), left = std::floor(x);
  const double fy = y - top, fx = x - left;
  // Far outside all four neighbours are zero; the limit keeps the conversions in range.
  if (std::abs(top) > 1e6 || std::abs(left) > 1e6) return kZero;
  const int y0 = static_cast<int>(top), x0 = static_cast<int>(left);
  const double upper = plane.at(y0, x0) * (1 - fx) + plane.at(y0, x0 + 1) * fx;
  const double lower = plane.at(y0 + 1, x0) * (1 - fx) + plane.at(y0 + 1, x0 + 1) * fx;
  return static_cast<int>(std::floor(upper * (1 - fy) + lower * fy + 0.5));
}

void turn(std::span<uint8_t> bytes, const PictureSize& size, const Augmentation& step,
          Random& random) {
  const double angle = between(random, step.rotate) * kPi / 180;
  const double slant_angle = between(random, step.shear) * kPi / 180;
  const double dy = between(random, step.shift) * size.height;
  const double dx = between(random, step.shift) * size.width;
  const double c = cosine(angle), s = sine(angle);
  const double slant = sine(slant_angle) / cosine(slant_angle);
  const double my = (size.height - 1) / 2.0, mx = (size.width - 1) / 2.0;
  replace(bytes, size, [&](const Plane& p, int y, int x) {
    const double v = y - my - dy, u = x - mx - dx;
    const double ty = c * v - s * u, tx = s * v + c * u;
    return bilinear(p, ty + my, tx + slant * ty + mx);
  });
}

// Normal numbers by the polar form of two uniform ones.
void add_noise(std::span<uint8_t> bytes, double sigma, Random& random) {
  for (uint8_t& b : bytes) {
    const double u = 1.0 - random.uniform();  // above 0
    const double n = std::sqrt(-2 * logarithm(u)) * cosine(2 * kPi * random.uniform());
    b = static_cast<uint8_t>(std::clamp(std::floor(b + sigma * n + 0.5), 0.0, 255.0));
  }
}

}  // namespace

void augment(std::span<uint8_t> bytes, const PictureSize& size, std::span<const Augmentation> steps,
             uint64_t seed, int epoch, uint32_t item) {
  Random random(seed, Purpose::augmentation, static_cast<uint64_t>(epoch), item);
  for (const Augmentation& step : steps) {
    switch (step.kind) {
      case AugmentKind::pad_crop:
        move(bytes, size, step.pad, random);
        break;
      case AugmentKind::flip:
        flip(bytes, size, random);
        break;
      case AugmentKind::affine:
        turn(bytes, size, step, random);
        break;
      case AugmentKind::noise:
        add_noise(bytes, step.sigma, random);
        break;
    }
  }
}

}  // namespace edgetwin::train
