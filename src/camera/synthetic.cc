#include "camera/synthetic.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace edgetwin::camera {
namespace {

constexpr int kMaxSide = 8192;
constexpr int kSquare = 40;
constexpr int kLines = 12;
constexpr double kLineLength = 200.0;
constexpr double kSigma = 20.0;
constexpr double kFarthest = 0.05;   // half a side of the square, of the picture's height
constexpr double kApproach = 0.7;    // of the way in a second
constexpr double kPanSpeed = 600.0;  // pixels in a second
constexpr int kBarEvery = 120, kBarHeight = 6;
constexpr uint8_t kBarGrey = 200;

Error unknown(std::string_view name) {
  std::string known;
  for (const PatternInfo& p : patterns())
    known += (known.empty() ? "" : ", ") + std::string(p.name);
  return Error(ErrorCode::usage, "there is no synthetic pattern '" + std::string(name) + "'")
      .with_hint("There are " + known + ".");
}

void set_grey(Tensor& picture, int y, int x, uint8_t grey) {
  const auto at = static_cast<size_t>((y * picture.shape[1] + x) * 3);
  std::fill_n(picture.as<uint8_t>().begin() + static_cast<int64_t>(at), 3, grey);
}

}  // namespace

const std::vector<PatternInfo>& patterns() {
  static const std::vector<PatternInfo> rows = {
#define PATTERN(name, text) {Pattern::name, #name, text},
#include "camera/synthetic.def"
#undef PATTERN
  };
  return rows;
}

Result<std::unique_ptr<SyntheticCamera>> SyntheticCamera::create(std::string_view name,
                                                                 const Settings& s) {
  const auto found = std::find_if(patterns().begin(), patterns().end(),
                                  [name](const PatternInfo& p) { return p.name == name; });
  if (found == patterns().end()) return unknown(name);
  if (s.width < 1 || s.height < 1 || s.width > kMaxSide || s.height > kMaxSide || s.fps < 1) {
    return Error(ErrorCode::camera_device,
                 "pictures of " + std::to_string(s.width) + " x " + std::to_string(s.height) +
                     " at " + std::to_string(s.fps) + " a second; sides of 1 to 8192 are possible");
  }
  return std::unique_ptr<SyntheticCamera>(new SyntheticCamera(found->pattern, s));
}

SyntheticCamera::SyntheticCamera(Pattern pattern, const Settings& settings)
    : pattern_(pattern), settings_(settings) {
  if (pattern == Pattern::wandering_dot) {
    background_.resize(static_cast<size_t>(settings.width) * static_cast<size_t>(settings.height) *
                       3);
    for (uint8_t& v : background_) v = static_cast<uint8_t>(30 + random_.next() % 60);
  }
  while (pattern == Pattern::panning &&
         background_.size() < 3 * static_cast<size_t>(settings.width)) {
    const size_t stripe = 40 + random_.next() % 80;
    background_.insert(background_.end(), stripe, static_cast<uint8_t>(20 + random_.next() % 220));
  }
  if (pattern == Pattern::panning) background_.resize(3 * static_cast<size_t>(settings.width));
}

std::string SyntheticCamera::description() const {
  return "synthetic:" + std::string(patterns()[static_cast<size_t>(pattern_)].name) + ", " +
         std::to_string(settings_.width) + " x " + std::to_string(settings_.height);
}

Result<std::optional<Tensor>> SyntheticCamera::read() {
  EDGETWIN_TRY_ASSIGN(Tensor picture,
                      Tensor::zeros(DType::uint8, {settings_.height, settings_.width, 3}));
  draw(picture, static_cast<double>(frame_++) / settings_.fps);
  return std::optional<Tensor>(std::move(picture));
}

void SyntheticCamera::draw(Tensor& picture, double time) {
  switch (pattern_) {
    case Pattern::wandering_dot:
      return wandering_dot(picture, time);
    case Pattern::rotating:
      return rotating(picture, time);
    case Pattern::panning:
      return panning(picture, time);
    case Pattern::approaching:
      return approaching(picture, time);
    case Pattern::noise:
      for (uint8_t& v : picture.as<uint8_t>()) v = random_.byte();
      return;
    case Pattern::checkerboard:
      break;
  }
  for (int y = 0; y < settings_.height; ++y) {
    for (int x = 0; x < settings_.width; ++x) {
      set_grey(picture, y, x, (y / kSquare + x / kSquare) % 2 == 0 ? 0 : 255);
    }
  }
}

void SyntheticCamera::wandering_dot(Tensor& picture, double time) const {
  const auto pixels = picture.as<uint8_t>();
  std::copy(background_.begin(), background_.end(), pixels.begin());
  const double cx = settings_.width / 2.0 + settings_.width / 4.0 * std::sin(2.0 * time);
  const double cy = settings_.height / 2.0 + settings_.height / 4.0 * std::cos(2.8 * time);
  for (int y = 0; y < settings_.height; ++y) {
    for (int x = 0; x < settings_.width; ++x) {
      const double square = (x - cx) * (x - cx) + (y - cy) * (y - cy);
      const double dot = 255.0 * std::exp(-square / (2.0 * kSigma * kSigma));
      uint8_t& green = pixels[static_cast<size_t>((y * settings_.width + x) * 3 + 1)];
      green = static_cast<uint8_t>(std::min(255.0, green + dot));
    }
  }
}

void SyntheticCamera::rotating(Tensor& picture, double time) const {
  const double cx = settings_.width / 2.0, cy = settings_.height / 2.0;
  for (int line = 0; line < kLines; ++line) {
    const double angle = std::numbers::pi * (time + 2.0 * line / kLines);
    for (double r = 0.0; r < kLineLength; r += 0.5) {
      const int x = static_cast<int>(cx + r * std::cos(angle));
      const int y = static_cast<int>(cy + r * std::sin(angle));
      for (const auto& [dy, dx] : {std::pair(0, 0), std::pair(0, 1), std::pair(1, 0)}) {
        const bool inside =
            y + dy >= 0 && y + dy < settings_.height && x + dx >= 0 && x + dx < settings_.width;
        if (inside) set_grey(picture, y + dy, x + dx, 255);
      }
    }
  }
}

void SyntheticCamera::panning(Tensor& picture, double time) const {
  const auto columns = static_cast<int64_t>(background_.size());
  const int64_t shift = static_cast<int64_t>(kPanSpeed * time) % columns;
  for (int y = 0; y < settings_.height; ++y) {
    const bool bar = y % kBarEvery < kBarHeight;
    for (int x = 0; x < settings_.width; ++x) {
      const auto from = static_cast<size_t>((x - shift + columns) % columns);
      set_grey(picture, y, x, bar ? kBarGrey : background_[from]);
    }
  }
}

// The size of what comes nearer at constant speed grows with the inverse of the time that is left.
void SyntheticCamera::approaching(Tensor& picture, double time) const {
  const double left = 1.0 - std::fmod(time, 1.0) * kApproach;
  const double half = kFarthest * settings_.height / left;
  const double cx = settings_.width / 2.0, cy = settings_.height / 2.0;
  for (int y = 0; y < settings_.height; ++y) {
    for (int x = 0; x < settings_.width; ++x) {
      const bool inside = std::fabs(x - cx) < half && std::fabs(y - cy) < half;
      const bool dark = (y / kSquare + x / kSquare) % 2 == 0;
      set_grey(picture, y, x, inside ? 255 : dark ? 64 : 128);
    }
  }
}

}  // namespace edgetwin::camera
