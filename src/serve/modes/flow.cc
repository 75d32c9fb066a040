// OpticalFlow and VisualCompass.
#include <cmath>
#include <numbers>
#include <optional>

#include "report/format.h"
#include "robotics/flow/optical_flow.h"
#include "robotics/picture.h"
#include "serve/modes/draw.h"
#include "serve/modes/makers.h"

namespace edgetwin::serve {
namespace {

using namespace robotics;
namespace templates = edgetpu::templates;

constexpr double kArrowScale = 5.0;  // the specification's
constexpr double kStill = 0.3;       // flow below it has no direction
constexpr double kNeedle = 50.0;     // radius of the compass, pixels

// Keeps the features of the picture before, so that each picture is computed once.
class FlowMode : public Mode {
 public:
  explicit FlowMode(OpticalFlow flow) : flow_(std::move(flow)) {}
  Status open() { return flow_.open(); }
  Status observe(Tensor& picture, const Mouse&, Json& values) override {
    EDGETWIN_TRY_ASSIGN(const std::optional<Flow> f, next(picture));
    if (!f) return Ok{};
    values.set("vx", f->vx).set("vy", f->vy).set("direction", direction_of(*f));
    draw_arrow(picture, *f);
    return Ok{};
  }

 protected:
  // Nothing for the first picture.
  Result<std::optional<Flow>> next(const Tensor& picture) {
    EDGETWIN_TRY_ASSIGN(const Tensor grey, to_grey(picture));
    EDGETWIN_TRY_ASSIGN(const Tensor seen, resize_by_area(grey, flow_.height(), flow_.width()));
    EDGETWIN_TRY_ASSIGN(Bytes features, flow_.extract_features_raw(seen));
    const std::optional<Bytes> before = std::exchange(before_, std::move(features));
    if (!before) return std::optional<Flow>();
    EDGETWIN_TRY_ASSIGN(const Flow f, flow_.compute_features(*before, *before_));
    return std::optional<Flow>(f);
  }
  static void draw_arrow(Tensor& picture, const Flow& f) {
    const Point from{static_cast<double>(picture.shape[1]) / 2.0,
                     static_cast<double>(picture.shape[0]) / 2.0};
    const double scale = kArrowScale * static_cast<double>(picture.shape[1]) / 64.0;
    const Point to{from.x + f.vx * scale, from.y + f.vy * scale};
    ink_line(picture, from, to, 4, kGreenInk);
    const double angle = std::atan2(f.vy, f.vx),
                 length = std::sqrt(f.vx * f.vx + f.vy * f.vy) * scale;
    if (length > 8.0) {
      for (const double turn : {2.6, -2.6}) {
        ink_line(picture, to,
                 {to.x + 14 * std::cos(angle + turn), to.y + 14 * std::sin(angle + turn)}, 4,
                 kGreenInk);
      }
    }
    ink_text(
        picture, {from.x - 60, static_cast<double>(picture.shape[0]) - 24},
        report::fixed_text(f.vx, 2) + ", " + report::fixed_text(f.vy, 2) + " " + direction_of(f),
        kGreenInk);
  }
  // By the larger axis.
  static std::string direction_of(const Flow& f) {
    if (std::max(std::fabs(f.vx), std::fabs(f.vy)) <= kStill) return "still";
    if (std::fabs(f.vx) >= std::fabs(f.vy)) return f.vx > 0 ? "right" : "left";
    return f.vy > 0 ? "down" : "up";
  }

  OpticalFlow flow_;
  std::optional<Bytes> before_;
};

class CompassMode final : public FlowMode {
 public:
  CompassMode(OpticalFlow flow, double fov_deg)
      : FlowMode(std::move(flow)), degrees_(fov_deg * flow_.effective_pool() / flow_.width()) {}
  Status observe(Tensor& picture, const Mouse& mouse, Json& values) override {
    if (mouse.click) heading_ = 0.0;
    EDGETWIN_TRY_ASSIGN(const std::optional<Flow> f, next(picture));
    if (!f) return Ok{};
    const double yaw = f->vx * degrees_;
    heading_ = std::remainder(heading_ + yaw, 360.0);
    values.set("yaw_deg", yaw).set("heading_deg", heading_);
    values.set("direction", yaw_to_direction(yaw)).set("vx", f->vx).set("vy", f->vy);
    draw_needle(picture);
    return Ok{};
  }

 private:
  void draw_needle(Tensor& picture) const {
    const Point centre{static_cast<double>(picture.shape[1]) - kNeedle - 14,
                       static_cast<double>(picture.shape[0]) - kNeedle - 14};
    ink_circle(picture, centre, kNeedle, kWhiteInk);
    const double angle = heading_ * std::numbers::pi / 180.0;
    ink_line(picture, centre,
             {centre.x + kNeedle * std::sin(angle), centre.y - kNeedle * std::cos(angle)}, 3,
             kRedInk);
    ink_text(picture, {centre.x - 40, centre.y - kNeedle - 14},
             report::fixed_text(heading_, 1) + " degrees", kWhiteInk);
  }

  double degrees_;
  double heading_ = 0.0;
};

Result<OpticalFlow> make_optical_flow(const ModeSetup& s) {
  const int size = s.values.integer("image_size"), pool = s.values.integer("pool_factor");
  const bool pooled = s.values.flag("pooled");
  const int range = s.values.integer("search_range");
  // With less than half of both pictures upon each other, noise fits better than the motion.
  if (size / pool <= 2 * range) {
    return Error(ErrorCode::bad_value,
                 "the squares are too large for the shifts: " + std::to_string(size) + " / " +
                     std::to_string(pool) + " = " + std::to_string(size / pool) +
                     " squares, more than 2 * " + std::to_string(range) + " are needed");
  }
  templates::OpticalFlow plain;
  plain.height = plain.width = size;
  templates::OpticalFlowPooled averaged;
  averaged.height = averaged.width = size;
  averaged.pool_factor = pool;
  EDGETWIN_TRY_ASSIGN(
      Prepared p, prepare(pooled ? templates::build(averaged) : templates::build(plain), s.engine));
  return OpticalFlow::create(std::move(p.engine), std::move(p.sidecar),
                             {range, s.values.real("temperature"), pool});
}

}  // namespace

std::vector<Parameter> flow_parameters(const std::vector<std::string>&) {
  return {select("image_size", "Side of the model's picture, pixels", {64, 128}, 64),
          checkbox("pooled", "The model averages over squares", false),
          select("pool_factor", "Side of a square, pixels", {1, 2, 4, 8}, 2),
          whole_number("search_range", "Largest shift, squares", 1, 8, 4),
          range("temperature", "Temperature of the softmax", 0.01, 1.0, 0.1)};
}

Result<std::unique_ptr<Mode>> make_flow(const ModeSetup& s) {
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, make_optical_flow(s));
  auto mode = std::make_unique<FlowMode>(std::move(flow));
  EDGETWIN_TRY(mode->open());
  return std::unique_ptr<Mode>(std::move(mode));
}

std::vector<Parameter> compass_parameters(const std::vector<std::string>& models) {
  std::vector<Parameter> all = flow_parameters(models);
  all.push_back(number("fov_deg", "Field of view, degrees", 1, 360, 90));
  return all;
}

Result<std::unique_ptr<Mode>> make_compass(const ModeSetup& s) {
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, make_optical_flow(s));
  auto mode = std::make_unique<CompassMode>(std::move(flow), s.values.real("fov_deg"));
  EDGETWIN_TRY(mode->open());
  return std::unique_ptr<Mode>(std::move(mode));
}

}  // namespace edgetwin::serve
