// SpotTracker, PatternTracker and LoomingDetector.
#include <algorithm>
#include <cmath>

#include "report/format.h"
#include "robotics/picture.h"
#include "robotics/trackers/looming.h"
#include "robotics/trackers/pattern_tracker.h"
#include "robotics/trackers/spot_tracker.h"
#include "serve/modes/draw.h"
#include "serve/modes/makers.h"

namespace edgetwin::serve {
namespace {

using namespace robotics;
namespace templates = edgetpu::templates;

// As the model takes it.
Result<Tensor> seen_by(const Tensor& picture, int height, int width, int channels) {
  if (channels == 3) return resize_by_area(picture, height, width);
  EDGETWIN_TRY_ASSIGN(const Tensor grey, to_grey(picture));
  return resize_by_area(grey, height, width);
}

class SpotMode final : public Mode {
 public:
  explicit SpotMode(SpotTracker tracker) : tracker_(std::move(tracker)) {}
  Status open() { return tracker_.open(); }
  Status observe(Tensor& picture, const Mouse&, Json& values) override {
    EDGETWIN_TRY_ASSIGN(const Tensor seen,
                        seen_by(picture, tracker_.height(), tracker_.width(), tracker_.channels()));
    EDGETWIN_TRY_ASSIGN(const Position p, tracker_.track(seen, false));
    const std::string direction = offset_to_direction(p.x, p.y);
    values.set("x", p.x).set("y", p.y).set("direction", direction);
    const Point at = pixel_at(picture, p.x, p.y);
    ink_cross(picture, at, 16, kGreenInk);
    ink_text(picture, {at.x + 20, at.y},
             report::fixed_text(p.x, 2) + ", " + report::fixed_text(p.y, 2) + " " + direction,
             kGreenInk);
    return Ok{};
  }

 private:
  SpotTracker tracker_;
};

constexpr double kLeastSide = 4.0;  // of a rectangle that is a pattern

// Without its mean and as large as weights can be: a bright pattern would win everywhere.
std::vector<int8_t> pattern_weights(const Tensor& patch) {
  const auto pixels = patch.as<uint8_t>();
  double mean = 0.0, most = 1.0;
  for (const uint8_t v : pixels) mean += v / static_cast<double>(pixels.size());
  for (const uint8_t v : pixels) most = std::max(most, std::fabs(v - mean));
  std::vector<int8_t> weights;
  for (const uint8_t v : pixels) {
    weights.push_back(static_cast<int8_t>(std::nearbyint((v - mean) / most * 127.0)));
  }
  return weights;
}

// The part of a picture inside a rectangle, which is brought into the picture.
Tensor part_of_picture(const Tensor& picture, const plot::Rect& area) {
  const auto limited = [](double v, int64_t most) {
    return std::clamp<int64_t>(static_cast<int64_t>(std::floor(v)), 0, most);
  };
  const int64_t left = limited(area.left, picture.shape[1] - 1);
  const int64_t top = limited(area.top, picture.shape[0] - 1);
  const int64_t right = std::max(limited(area.right, picture.shape[1]), left + 1);
  const int64_t bottom = std::max(limited(area.bottom, picture.shape[0]), top + 1);
  Tensor part = picture;
  part.shape = {bottom - top, right - left, 3};
  part.data.clear();
  for (int64_t y = top; y < bottom; ++y) {
    const auto* row = picture.data.data() + (y * picture.shape[1] + left) * 3;
    part.data.insert(part.data.end(), row, row + (right - left) * 3);
  }
  return part;
}

class PatternMode final : public Mode {
 public:
  explicit PatternMode(PatternTracker tracker) : tracker_(std::move(tracker)) {}
  Status open() { return tracker_.open(); }
  Status observe(Tensor& picture, const Mouse& mouse, Json& values) override {
    EDGETWIN_TRY_ASSIGN(const Tensor seen,
                        seen_by(picture, tracker_.height(), tracker_.width(), tracker_.channels()));
    if (mouse.dragged) EDGETWIN_TRY(learn(picture, *mouse.dragged));
    values.set("has_pattern", !pattern_.data.empty());
    if (mouse.dragging) ink_box(picture, *mouse.dragging, 2, kYellowInk);
    if (pattern_.data.empty()) {
      ink_message(picture, "drag a rectangle over what is to be found");
      return Ok{};
    }
    EDGETWIN_TRY_ASSIGN(const Position p, tracker_.track(seen, false));
    values.set("x", p.x).set("y", p.y).set("direction", offset_to_direction(p.x, p.y));
    mark(picture, p);
    return Ok{};
  }

 private:
  Status learn(const Tensor& picture, const plot::Rect& area) {
    if (area.width() <= kLeastSide || area.height() <= kLeastSide) return Ok{};
    const Tensor part = part_of_picture(picture, area);
    EDGETWIN_TRY_ASSIGN(const Tensor patch, seen_by(part, tracker_.kernel_height(),
                                                    tracker_.kernel_width(), tracker_.channels()));
    EDGETWIN_TRY(tracker_.set_template_raw(pattern_weights(patch)));
    pattern_ = part;
    return Ok{};
  }
  // The position is that of the pattern's top left corner among all its places.
  void mark(Tensor& picture, const Position& p) const {
    const auto corner = [](double offset, int places, double scale) {
      return (offset + 1.0) / 2.0 * (places - 1) * scale;
    };
    const double scale_x = static_cast<double>(picture.shape[1]) / tracker_.width();
    const double scale_y = static_cast<double>(picture.shape[0]) / tracker_.height();
    const double left = corner(p.x, tracker_.width() - tracker_.kernel_width() + 1, scale_x);
    const double top = corner(p.y, tracker_.height() - tracker_.kernel_height() + 1, scale_y);
    ink_box(picture,
            {left, top, left + tracker_.kernel_width() * scale_x,
             top + tracker_.kernel_height() * scale_y},
            3, kRedInk);
    const auto width = static_cast<double>(picture.shape[1]);
    ink_picture(picture, pattern_, {width - 72, 8, width - 8, 72});
  }

  PatternTracker tracker_;
  Tensor pattern_;
};

class LoomingMode final : public Mode {
 public:
  explicit LoomingMode(LoomingDetector detector, double dt)
      : detector_(std::move(detector)), dt_(dt) {}
  Status open() { return detector_.open(); }
  Status observe(Tensor& picture, const Mouse&, Json& values) override {
    EDGETWIN_TRY_ASSIGN(const Tensor seen,
                        seen_by(picture, detector_.height(), detector_.width(), 1));
    EDGETWIN_TRY_ASSIGN(const Zones zones, detector_.detect(seen));
    double around = 0.0;
    for (size_t i = 0; i < zones.size(); ++i) around += i == 4 ? 0.0 : zones[i] / 8.0;
    EDGETWIN_TRY_ASSIGN(double tau, LoomingDetector::compute_tau(zones));
    if (around <= 1e-6) tau = 1.0;
    history_.push_back(tau);
    if (history_.size() > 10) history_.erase(history_.begin());
    const double ttc = LoomingDetector::compute_ttc(history_, dt_);
    const char* motion = motion_of(tau);
    values.set("tau", tau).set("motion", motion).set("ttc_s", ttc).set("zones", Json::list(zones));
    draw(picture, zones, "tau " + report::fixed_text(tau, 2) + ", " + motion);
    return Ok{};
  }

 private:
  // Colours alone would not tell everybody.
  static const char* motion_of(double tau) {
    return tau > 1.2 ? "approaching" : tau < 0.9 ? "receding" : "steady";
  }
  static void draw(Tensor& picture, const Zones& zones, const std::string& text) {
    const double w = static_cast<double>(picture.shape[1]) / 3.0;
    const double h = static_cast<double>(picture.shape[0]) / 3.0;
    const float most = std::max(*std::max_element(zones.begin(), zones.end()), 1e-6F);
    for (size_t i = 0; i < zones.size(); ++i) {
      const double x = static_cast<double>(i % 3) * w, y = static_cast<double>(i / 3) * h;
      ink_area(picture, {x, y, x + w, y + h}, heat_color(static_cast<double>(zones[i] / most)),
               0.3);
      ink_text(picture, {x + 8, y + h - 16}, report::fixed_text(static_cast<double>(zones[i]), 1),
               kWhiteInk);
    }
    ink_text(picture, {w * 1.5 - 90, h * 1.5}, text, kWhiteInk, 20.0);
  }

  LoomingDetector detector_;
  double dt_;
  std::vector<double> history_;
};

// Opened, and behind the common face.
template <class M, class... Parts>
Result<std::unique_ptr<Mode>> opened(Parts&&... parts) {
  auto mode = std::make_unique<M>(std::forward<Parts>(parts)...);
  EDGETWIN_TRY(mode->open());
  return std::unique_ptr<Mode>(std::move(mode));
}

Parameter size_parameter(const char* name) {
  return select(name, "Side of the model's picture, pixels", {64, 128}, 64);
}

}  // namespace

std::vector<Parameter> spot_parameters(const std::vector<std::string>&) {
  std::vector<Json> variants = {"bright"};
  for (const Preset& p : presets()) variants.emplace_back(p.name);
  return {size_parameter("image_size"),
          select("variant", "What is looked for", std::move(variants), "bright")};
}

Result<std::unique_ptr<Mode>> make_spot(const ModeSetup& s) {
  templates::SpotTracker t;
  t.height = t.width = s.values.integer("image_size");
  const std::string variant = s.values.text("variant");
  for (const Preset& p : presets()) {
    if (p.name != variant) continue;
    t.variant = "color_" + variant;
    t.color_weights.assign(p.weights.begin(), p.weights.end());
  }
  EDGETWIN_TRY_ASSIGN(Prepared p, prepare(templates::build(t), s.engine));
  EDGETWIN_TRY_ASSIGN(SpotTracker made,
                      SpotTracker::create(std::move(p.engine), std::move(p.sidecar)));
  return opened<SpotMode>(std::move(made));
}

std::vector<Parameter> pattern_parameters(const std::vector<std::string>&) {
  return {size_parameter("search_size"),
          select("kernel_size", "Side of the pattern, pixels", {8, 16, 32}, 16),
          select("channels", "Channels: grey or colour", {1, 3}, 1)};
}

Result<std::unique_ptr<Mode>> make_pattern(const ModeSetup& s) {
  templates::PatternTracker t;
  t.search_h = t.search_w = s.values.integer("search_size");
  t.kernel_h = t.kernel_w = s.values.integer("kernel_size");
  t.channels = s.values.integer("channels");
  EDGETWIN_TRY_ASSIGN(Prepared p, prepare(templates::build(t), s.engine));
  EDGETWIN_TRY_ASSIGN(PatternTracker made,
                      PatternTracker::create(std::move(p.engine), std::move(p.sidecar)));
  return opened<PatternMode>(std::move(made));
}

std::vector<Parameter> looming_parameters(const std::vector<std::string>&) {
  return {size_parameter("image_size")};
}

Result<std::unique_ptr<Mode>> make_looming(const ModeSetup& s) {
  templates::Looming t;
  t.height = t.width = s.values.integer("image_size");
  EDGETWIN_TRY_ASSIGN(Prepared p, prepare(templates::build(t), s.engine));
  EDGETWIN_TRY_ASSIGN(LoomingDetector made,
                      LoomingDetector::create(std::move(p.engine), std::move(p.sidecar)));
  return opened<LoomingMode>(std::move(made), 1.0 / s.fps);
}

}  // namespace edgetwin::serve
