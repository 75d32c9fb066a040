#include <algorithm>
#include <numeric>
#include <optional>

#include "cli/demo/demo.h"
#include "robotics/flow/optical_flow.h"
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

class FlowDemo final : public FlowBase {
 public:
  explicit FlowDemo(OpticalFlow flow) : flow_(std::move(flow)) {}
  Status open() override { return flow_.open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    EDGETWIN_TRY_ASSIGN(const std::optional<Flow> f, next(flow_, before_, picture));
    if (!f) return std::string("first picture");
    const std::string direction = flow_to_direction(f->vx, f->vy);
    row.set("vx", f->vx).set("vy", f->vy).set("direction", direction);
    return "vx " + decimal(f->vx) + "  vy " + decimal(f->vy) + "  " + direction;
  }

 private:
  OpticalFlow flow_;
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
  a.pooled = a.pooled.value_or(false);
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

class InvokerDemo final : public Demo {
 public:
  explicit InvokerDemo(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  Status open() override { return engine_->open(); }
  Result<std::string> observe(Tensor& picture, Json& row) override {
    EDGETWIN_TRY_ASSIGN(const PictureSize size, picture_size(*engine_));
    Tensor seen = picture;
    if (size.channels == 1) {
      EDGETWIN_TRY_ASSIGN(seen, to_grey(picture));
    }
    EDGETWIN_TRY_ASSIGN(seen, normalize(seen, true, size.height, size.width, size.channels));
    EDGETWIN_TRY_ASSIGN(const std::vector<Bytes> raw, engine_->run(seen.data));
    const BytePort& port = engine_->outputs().front();
    const Bytes& first = raw.front();
    std::vector<size_t> order(first.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const size_t shown = std::min<size_t>(5, order.size());
    const auto larger = [&](size_t a, size_t b) {
      return first[a] != first[b] ? first[a] > first[b] : a < b;
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(shown), order.end(),
                      larger);
    std::string text;
    Json best = Json::array();
    for (size_t i = 0; i < shown; ++i) {
      const double value = static_cast<double>(port.real(first[order[i]]));
      text += (i > 0 ? "  " : "") + std::to_string(order[i]) + ": " + decimal(value);
      best.push(Json::object().set("index", order[i]).set("value", value));
    }
    row.set("largest", std::move(best));
    return text;
  }

 private:
  std::shared_ptr<Engine> engine_;
};

}  // namespace

MadeDemo flow_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, flow_of(a));
  return std::unique_ptr<Demo>(std::make_unique<FlowDemo>(std::move(flow)));
}

MadeDemo compass_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, flow_of(a));
  EDGETWIN_TRY_ASSIGN(VisualCompass compass, VisualCompass::create(std::move(flow), a.fov_deg));
  return std::unique_ptr<Demo>(std::make_unique<CompassDemo>(std::move(compass)));
}

MadeDemo invoker_demo(const DemoArguments& a) {
  EDGETWIN_TRY_ASSIGN(Prepared p, prepared(a, nullptr));
  return std::unique_ptr<Demo>(std::make_unique<InvokerDemo>(std::move(p.engine)));
}

}  // namespace edgetwin::cli
