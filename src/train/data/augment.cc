#include "train/data/augment.h"

#include <algorithm>
#include <cmath>

#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr uint8_t kZero = 128;

double sine(double x) { return cosine(x - kPi / 2); }

double between(Random& random, double limit) { return (2.0 * random.uniform() - 1.0) * limit; }

double within(Random& random, double low, double high) {
  return low == high ? low : low + (high - low) * random.uniform();
}

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
  const double scale = within(random, step.low, step.high);
  const double my = (size.height - 1) / 2.0, mx = (size.width - 1) / 2.0;
  replace(bytes, size, [&](const Plane& p, int y, int x) {
    const double v = (y - my - dy) / scale, u = (x - mx - dx) / scale;
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

// Each plane's part as a plane of another size.
std::vector<uint8_t> resampled(std::span<const uint8_t> bytes, const PictureSize& size,
                               const PlanePart& part, const PictureSize& to) {
  const size_t from_plane = static_cast<size_t>(size.height) * static_cast<size_t>(size.width);
  const size_t to_plane = static_cast<size_t>(to.height) * static_cast<size_t>(to.width);
  std::vector<uint8_t> made(to_plane * static_cast<size_t>(size.channels));
  for (size_t c = 0; c < static_cast<size_t>(size.channels); ++c) {
    resample(bytes.subspan(c * from_plane, from_plane), size.height, size.width, part,
             std::span(made).subspan(c * to_plane, to_plane), to.height, to.width);
  }
  return made;
}

std::vector<uint8_t> cut(std::span<const uint8_t> bytes, const PictureSize& size, int top, int left,
                         const PictureSize& to) {
  std::vector<uint8_t> made;
  for (int c = 0; c < size.channels; ++c) {
    for (int y = 0; y < to.height; ++y) {
      const auto first = static_cast<size_t>((c * size.height + top + y) * size.width + left);
      const auto row = bytes.subspan(first, static_cast<size_t>(to.width));
      made.insert(made.end(), row.begin(), row.end());
    }
  }
  return made;
}

PlanePart random_part(const PictureSize& size, const Augmentation& step, Random& random) {
  const double area = within(random, step.least_area, step.most_area) * size.height * size.width;
  // The logarithm of the aspect is uniform: 1/2 and 2 are equally likely.
  const double aspect =
      exponential(within(random, logarithm(step.least_aspect), logarithm(step.most_aspect)));
  PlanePart part;
  part.width = std::clamp(std::sqrt(area * aspect), 1.0, static_cast<double>(size.width));
  part.height = std::clamp(std::sqrt(area / aspect), 1.0, static_cast<double>(size.height));
  part.left = random.uniform() * (size.width - part.width);
  part.top = random.uniform() * (size.height - part.height);
  return part;
}

// A crop; the bytes get its size.
void crop(std::vector<uint8_t>& bytes, const PictureSize& size, const Augmentation& step,
          Random& random) {
  const PictureSize to = size_after(size, std::span(&step, 1));
  if (step.kind == AugmentKind::resized_crop) {
    bytes = resampled(bytes, size, random_part(size, step, random), to);
  } else if (step.kind == AugmentKind::centre_crop) {
    bytes = middle_of(bytes, size, to, false);
  } else {
    const auto top = random.below(static_cast<uint64_t>(size.height - to.height + 1));
    const auto left = random.below(static_cast<uint64_t>(size.width - to.width + 1));
    bytes = cut(bytes, size, static_cast<int>(top), static_cast<int>(left), to);
  }
}

// Brightness, then contrast about the mean grey, then saturation about each place's grey.
void change_colours(std::span<uint8_t> bytes, const PictureSize& size, const Augmentation& step,
                    Random& random) {
  const double brightness = 1 + between(random, step.brightness);
  const double contrast = 1 + between(random, step.contrast);
  const double saturation = 1 + between(random, step.saturation);
  const size_t plane = static_cast<size_t>(size.height) * static_cast<size_t>(size.width);
  const auto channels = static_cast<size_t>(size.channels);
  double sum = 0;
  for (const uint8_t b : bytes) sum += b * brightness;
  const double mean = sum / static_cast<double>(bytes.size());
  for (size_t p = 0; p < plane; ++p) {
    double grey = 0;
    for (size_t c = 0; c < channels; ++c) {
      grey += ((bytes[c * plane + p] * brightness - mean) * contrast + mean) /
              static_cast<double>(channels);
    }
    for (size_t c = 0; c < channels; ++c) {
      uint8_t& b = bytes[c * plane + p];
      const double v = (b * brightness - mean) * contrast + mean;
      b = static_cast<uint8_t>(
          std::clamp(std::floor(grey + (v - grey) * saturation + 0.5), 0.0, 255.0));
    }
  }
}

void erase_part(std::span<uint8_t> bytes, const PictureSize& size, const Augmentation& step,
                Random& random) {
  const bool acts = random.uniform() < step.probability;
  const double side = std::sqrt(within(random, step.least_area, step.most_area));
  const int h = std::max(1, static_cast<int>(side * size.height));
  const int w = std::max(1, static_cast<int>(side * size.width));
  const int top = static_cast<int>(random.below(static_cast<uint64_t>(size.height - h + 1)));
  const int left = static_cast<int>(random.below(static_cast<uint64_t>(size.width - w + 1)));
  if (!acts) return;
  replace(bytes, size, [&](const Plane& p, int y, int x) {
    const bool inside = y >= top && y < top + h && x >= left && x < left + w;
    return inside ? kZero : p.at(y, x);
  });
}

void one_step(std::span<uint8_t> bytes, const PictureSize& size, const Augmentation& step,
              Random& random) {
  switch (step.kind) {
    case AugmentKind::pad_crop:
      return move(bytes, size, step.pad, random);
    case AugmentKind::flip:
      return flip(bytes, size, random);
    case AugmentKind::affine:
      return turn(bytes, size, step, random);
    case AugmentKind::noise:
      return add_noise(bytes, step.sigma, random);
    case AugmentKind::resized_crop:
    case AugmentKind::random_crop:
    case AugmentKind::centre_crop:
      return;  // crop() has them
    case AugmentKind::colour:
      return change_colours(bytes, size, step, random);
    case AugmentKind::erase:
      return erase_part(bytes, size, step, random);
    case AugmentKind::sound_shift:
    case AugmentKind::speed:
    case AugmentKind::white_noise:
    case AugmentKind::recorded_noise:
      return augment_sound(bytes, step, random);
  }
}

// Of one step of one item: steps before it draw as many numbers as they like.
Random random_of(uint64_t seed, int epoch, size_t step, uint32_t item) {
  return {seed, Purpose::augmentation, static_cast<uint64_t>(epoch) | uint64_t{step} << 32, item};
}

}  // namespace

bool moves(AugmentKind kind) {
  return kind == AugmentKind::pad_crop || kind == AugmentKind::flip ||
         kind == AugmentKind::affine || is_crop(kind);
}

bool is_crop(AugmentKind kind) {
  return kind == AugmentKind::resized_crop || kind == AugmentKind::random_crop ||
         kind == AugmentKind::centre_crop;
}

bool is_sound(AugmentKind kind) { return kind >= AugmentKind::sound_shift; }

void augment(std::vector<uint8_t>& bytes, PictureSize size, std::span<const Augmentation> steps,
             uint64_t seed, int epoch, uint32_t item) {
  for (size_t i = 0; i < steps.size(); ++i) {
    Random random = random_of(seed, epoch, i, item);
    if (is_crop(steps[i].kind)) {
      crop(bytes, size, steps[i], random);
      size = size_after(size, steps.subspan(i, 1));
    } else {
      one_step(bytes, size, steps[i], random);
    }
  }
}

PictureSize size_after(PictureSize size, std::span<const Augmentation> steps) {
  for (const Augmentation& step : steps) {
    if (!is_crop(step.kind) || step.height == 0) continue;
    size.height = step.height;
    size.width = step.width;
  }
  return size;
}

std::vector<uint8_t> middle_of(std::span<const uint8_t> bytes, const PictureSize& size,
                               const PictureSize& to, bool resized) {
  if (!resized) {
    return cut(bytes, size, (size.height - to.height) / 2, (size.width - to.width) / 2, to);
  }
  const double scale = std::min(static_cast<double>(size.height) / to.height,
                                static_cast<double>(size.width) / to.width);
  PlanePart part;
  part.height = scale * to.height;
  part.width = scale * to.width;
  part.top = (size.height - part.height) / 2;
  part.left = (size.width - part.width) / 2;
  return resampled(bytes, size, part, to);
}

void augment_mask(std::span<uint8_t> classes, const PictureSize& size,
                  std::span<const Augmentation> steps, uint64_t seed, int epoch, uint32_t item) {
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!moves(steps[i].kind)) continue;
    Random random = random_of(seed, epoch, i, item);
    one_step(classes, size, steps[i], random);
  }
}

void resample(std::span<const uint8_t> plane, int height, int width, const PlanePart& part,
              std::span<uint8_t> to, int to_height, int to_width) {
  const auto at = [&](int y, int x) {
    const int inside_y = std::clamp(y, 0, height - 1), inside_x = std::clamp(x, 0, width - 1);
    return static_cast<double>(plane[static_cast<size_t>(inside_y) * static_cast<size_t>(width) +
                                     static_cast<size_t>(inside_x)]);
  };
  size_t out = 0;
  for (int y = 0; y < to_height; ++y) {
    const double v = part.top + (y + 0.5) * part.height / to_height - 0.5;
    const int y0 = static_cast<int>(std::floor(v));
    for (int x = 0; x < to_width; ++x) {
      const double u = part.left + (x + 0.5) * part.width / to_width - 0.5;
      const int x0 = static_cast<int>(std::floor(u));
      const double fy = v - y0, fx = u - x0;
      const double upper = at(y0, x0) * (1 - fx) + at(y0, x0 + 1) * fx;
      const double lower = at(y0 + 1, x0) * (1 - fx) + at(y0 + 1, x0 + 1) * fx;
      to[out++] = static_cast<uint8_t>(std::floor(upper * (1 - fy) + lower * fy + 0.5));
    }
  }
}

}  // namespace edgetwin::train
