#include <algorithm>
#include <cstdlib>
#include <optional>

#include "cli/demo/demo.h"
#include "robotics/flow/optical_flow.h"
#include "robotics/flow/replica.h"
#include "robotics/picture.h"

namespace edgetwin::cli {
namespace {

using namespace robotics;
using report::Json;

constexpr double kArrow = 5.0;  // pixels of the drawing for a unit of flow

// Keeps the features of the picture before.
class FlowBase : public Demo {
 protected:
  // Nothing for the first picture.
  static Result<std::optional<Flow>> next(OpticalFlow& flow, std::optional<Bytes>& before,
                                          Tensor& picture) {
    EDGETWIN_TRY_ASSIGN(const Tensor grey, to_grey(picture));
    EDGETWIN_TRY_ASSIGN(const Tensor seen, resize_by_area(grey, flow.height(), flow.width()));
    EDGETWIN_TRY_ASSIGN(Bytes features, flow.extract_features_raw(seen));
    std::optional<Bytes> last = std::exchange(before, std::move(features));
    if (!last) return std::optional<Flow>();
    EDGETWIN_TRY_ASSIGN(const Flow f, flow.compute_features(*last, *before));
    const double x = static_cast<double>(picture.shape[1]) / 2.0;
    const double y = static_cast<double>(picture.shape[0]) / 2.0;
    const double scale =
        kArrow * static_cast<double>(picture.shape[1]) / flow.width() * flow.effective_pool();
    draw_line(picture, x, y, x + f.vx * scale, y + f.vy * scale);
    draw_cross(picture, x, y, 4);
    return std::optional<Flow>(f);
  }
};

// The same network in plain numbers beside the module.
class ReplicaBeside {
 public:
  explicit ReplicaBeside(FlowReplica replica) : replica_(std::move(replica)) {}

  // `features`: those of the picture before and of this one.
  Result<std::string> compare(const Tensor& seen, ByteSpan features, const std::optional<Flow>& f,
                              Json& row) {
    EDGETWIN_TRY_ASSIGN(const ReplicaMaps maps, replica_.maps(seen));
    size_t differ = 0;
    int most = 0;
    for (size_t k = 0; k < features.size(); ++k) {
      const int by =
          std::abs(static_cast<int>(features[k]) - static_cast<int>(maps.final_uint8[k]));
      differ += by != 0 ? 1U : 0U;
      most = std::max(most, by);
    }
    most_ = std::max(most_, most);
    row.set("replica_differ", differ).set("replica_most", most);
    std::string text = "  replica:";
    if (f) {
      EDGETWIN_TRY_ASSIGN(const Flow own, replica_.compute(before_, seen));
      row.set("replica_vx", own.vx).set("replica_vy", own.vy);
      text += " vx " + decimal(own.vx) + "  vy " + decimal(own.vy) + " ";
    }
    before_ = seen;
    return text + " " + std::to_string(differ) + " of " + std::to_string(features.size()) +
           " features differ" + (most == 0 ? "" : ", by " + std::to_string(most) + " at most");
  }
  int most() const { return most_; }

 private:
  FlowReplica replica_;
  Tensor before_;
  int most_ = 0;
};

class FlowDemo final : public FlowBase {
 public:
  FlowDemo(OpticalFlow flow, std::optional<ReplicaBeside> replica)
      : flow_(std::move(flow)), replica_(std::move(replica)) {}
  Status open() override { return flow_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    Tensor seen;
    if (replica_) {
      EDGETWIN_TRY_ASSIGN(const Tensor grey, to_grey(picture));
      EDGETWIN_TRY_ASSIGN(seen, resize_by_area(grey, flow_.height(), flow_.width()));
    }
    EDGETWIN_TRY_ASSIGN(const std::optional<Flow> f, next(flow_, before_, picture));
    std::string beside;
    if (replica_) {
      EDGETWIN_TRY_ASSIGN(beside, replica_->compare(seen, *before_, f, row));
    }
    if (!f) return "first picture" + beside;
    const std::string direction = flow_to_direction(f->vx, f->vy);
    row.set("vx", f->vx).set("vy", f->vy).set("direction", direction);
    return "vx " + decimal(f->vx) + "  vy " + decimal(f->vy) + "  " + direction + beside;
  }
  Status finish() override {
    // The replica's real products may end one beside the chip's integers, never further.
    if (!replica_ || replica_->most() <= 1) return Ok{};
    return Error(ErrorCode::module_model, "features of the replica differ by " +
                                              std::to_string(replica_->most()) +
                                              ", one is what its rounding explains")
        .with_hint("Report it with the pictures.");
  }

 private:
  OpticalFlow flow_;
  std::optional<ReplicaBeside> replica_;
  std::optional<Bytes> before_;
};

class CompassDemo final : public FlowBase {
 public:
  explicit CompassDemo(VisualCompass compass) : compass_(std::move(compass)) {}
  Status open() override { return compass_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    EDGETWIN_TRY_ASSIGN(const std::optional<Flow> f, next(compass_.flow(), before_, picture));
    if (!f) return std::string("first picture");
    const double yaw = f->vx * compass_.deg_per_pooled_px();
    heading_ += yaw;
    row.set("yaw", yaw).set("heading", heading_).set("direction", yaw_to_direction(yaw));
    return "yaw " + decimal(yaw) + "  heading " + decimal(heading_) + "  " + yaw_to_direction(yaw);
  }

 private:
  VisualCompass compass_;
  std::optional<Bytes> before_;
  double heading_ = 0.0;
};

// Coarser squares hide the motion of a camera, and averages of the model have few bits.
DemoArguments completed(DemoArguments a) {
  a.pool_factor = a.pool_factor.value_or(2);
  a.pooled = a.pooled.value_or(a.replica);
  return a;
}

Result<OpticalFlow> flow_of(const DemoArguments& given) {
  const DemoArguments a = completed(given);
  // At the largest shift more than half of both pictures must lie upon each other: with less, noise
  // fits better than the motion.
  const int squares = a.image_size / *a.pool_factor;
  if (a.model.empty() && squares <= 2 * a.search_range) {
    return Error(ErrorCode::usage, "the squares are too large for the shifts that are searched")
        .detail(std::to_string(a.image_size) + " / " + std::to_string(*a.pool_factor) + " = " +
                std::to_string(squares) + " squares; more than 2 * " +
                std::to_string(a.search_range) + " are needed")
        .with_hint("Give a smaller --pool-factor or --search-range, or a larger --image-size.");
  }
  EDGETWIN_TRY_ASSIGN(Prepared p,
                      prepared(a, [](const DemoArguments& d, const TwinOptions& options) {
                        edgetpu::templates::OpticalFlow plain;
                        plain.height = plain.width = d.image_size;
                        if (!*d.pooled) return on_twin(edgetpu::templates::build(plain), options);
                        edgetpu::templates::OpticalFlowPooled pooled;
                        pooled.height = pooled.width = d.image_size;
                        pooled.pool_factor = *d.pool_factor;
                        return on_twin(edgetpu::templates::build(pooled), options);
                      }));
  return OpticalFlow::create(std::move(p.engine), std::move(p.sidecar),
                             {a.search_range, a.temperature, *a.pool_factor});
}

}  // namespace

MadeDemo flow_demo(const DemoArguments& a) {
  if (a.replica && (!a.model.empty() || a.pooled == false)) {
    return Error(ErrorCode::usage, "--cpu-replica is of the pooled template")
        .with_hint("Leave out --model and --no-pooled.");
  }
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, flow_of(a));
  std::optional<ReplicaBeside> beside;
  if (a.replica) {
    ReplicaOptions options;
    options.pool_factor = flow.fused_pool();
    options.search_range = a.search_range;
    options.temperature = a.temperature;
    EDGETWIN_TRY_ASSIGN(FlowReplica replica,
                        FlowReplica::make(flow.height(), flow.width(), options));
    beside.emplace(std::move(replica));
  }
  return std::unique_ptr<Demo>(std::make_unique<FlowDemo>(std::move(flow), std::move(beside)));
}

MadeDemo compass_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, flow_of(a));
  EDGETWIN_TRY_ASSIGN(VisualCompass compass, VisualCompass::create(std::move(flow), a.fov_deg));
  return std::unique_ptr<Demo>(std::make_unique<CompassDemo>(std::move(compass)));
}

}  // namespace edgetwin::cli
