#include "robotics/flow/optical_flow.h"

#include <algorithm>

#include "robotics/picture.h"
#include "robotics/quantize.h"

namespace edgetwin::robotics {
namespace {

// [1, y, x, filters] of the output.
Result<FlowSettings> feature_settings(const Engine& engine, const FlowOptions& options,
                                      const PictureSize& size, int fused_pool) {
  const BytePort& out = engine.outputs().front();
  const int side = std::max(fused_pool, 1);
  const Shape& s = out.shape;
  if (size.channels != 1 || s.rank() != 4 || s[0] != 1 || s[1] != size.height / side ||
      s[2] != size.width / side || out.dtype != DType::uint8) {
    return Error(ErrorCode::module_model,
                 "the model takes " + to_string(engine.input().shape) + " and gives " +
                     to_string(s) + "; features of a grey picture " +
                     (fused_pool > 0 ? "over squares of " + std::to_string(fused_pool)
                                     : std::string("at every pixel")) +
                     " are needed");
  }
  FlowSettings f;
  f.height = static_cast<int>(s[1]);
  f.width = static_cast<int>(s[2]);
  f.filters = static_cast<int>(s[3]);
  f.zero_point = out.zero_point;
  f.pool = fused_pool > 0 ? 1 : options.pool_factor;
  f.search_range = options.search_range;
  f.temperature = options.temperature;
  return f;
}

}  // namespace

Result<OpticalFlow> OpticalFlow::create(std::shared_ptr<Engine> engine, Sidecar sidecar,
                                        const FlowOptions& options) {
  EDGETWIN_TRY_ASSIGN(const PictureSize size, picture_size(*engine));
  const int fused_pool = std::max(sidecar.integer("fused_pool").value_or(0), 0);
  EDGETWIN_TRY_ASSIGN(const FlowSettings settings,
                      feature_settings(*engine, options, size, fused_pool));
  EDGETWIN_TRY_ASSIGN(FlowStage stage, FlowStage::make(settings));
  OpticalFlow flow(std::move(engine), std::move(sidecar), std::move(stage));
  flow.size_ = size;
  flow.options_ = options;
  flow.fused_pool_ = fused_pool;
  return flow;
}

Result<OpticalFlow> OpticalFlow::from_template(int size, const FlowOptions& options, bool pooled,
                                               const TwinOptions& twin) {
  if (pooled) {
    edgetpu::templates::OpticalFlowPooled a;
    a.height = a.width = size;
    a.pool_factor = options.pool_factor;
    EDGETWIN_TRY_ASSIGN(Prepared p, on_twin(edgetpu::templates::build(a), twin));
    return create(std::move(p.engine), std::move(p.sidecar), options);
  }
  edgetpu::templates::OpticalFlow a;
  a.height = a.width = size;
  EDGETWIN_TRY_ASSIGN(Prepared p, on_twin(edgetpu::templates::build(a), twin));
  return create(std::move(p.engine), std::move(p.sidecar), options);
}

Result<Bytes> OpticalFlow::extract_features_raw(const Tensor& frame) {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY_ASSIGN(const Tensor p, normalize(frame, false, size_.height, size_.width, 1));
  std::vector<float> shares(p.data.size());
  std::transform(p.data.begin(), p.data.end(), shares.begin(),
                 [](std::byte b) { return static_cast<float>(b) / 255.0F; });
  const BytePort& in = engine_->input();
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, quantize_uint8(shares, in.scale, in.zero_point));
  return execute_raw(bytes);
}

Result<std::vector<float>> OpticalFlow::extract_features(const Tensor& frame) {
  EDGETWIN_TRY_ASSIGN(const Bytes raw, extract_features_raw(frame));
  const BytePort& out = engine_->outputs().front();
  return dequantize(raw, out.scale, out.zero_point);
}

Result<Flow> OpticalFlow::compute(const Tensor& frame_t, const Tensor& frame_t1) {
  EDGETWIN_TRY_ASSIGN(const Bytes a, extract_features_raw(frame_t));
  EDGETWIN_TRY_ASSIGN(const Bytes b, extract_features_raw(frame_t1));
  return stage_.compute(a, b);
}

Result<Flow> OpticalFlow::compute_raw(ByteSpan frame_t, ByteSpan frame_t1) {
  EDGETWIN_TRY_ASSIGN(const Bytes a, execute_raw(frame_t));
  EDGETWIN_TRY_ASSIGN(const Bytes b, execute_raw(frame_t1));
  return stage_.compute(a, b);
}

Result<VisualCompass> VisualCompass::create(OpticalFlow flow, double fov_deg) {
  if (!(fov_deg > 0.0) || fov_deg > 360.0) {
    return Error(ErrorCode::module_input, "a field of view of " + std::to_string(fov_deg) +
                                              " degrees; above 0 and at most 360 is possible");
  }
  return VisualCompass(std::move(flow), fov_deg);
}

Result<VisualCompass> VisualCompass::from_template(int size, double fov_deg, bool pooled,
                                                   const FlowOptions& options,
                                                   const TwinOptions& twin) {
  EDGETWIN_TRY_ASSIGN(OpticalFlow flow, OpticalFlow::from_template(size, options, pooled, twin));
  return create(std::move(flow), fov_deg);
}

Result<VisualCompass::Turn> VisualCompass::compute(const Tensor& frame_t, const Tensor& frame_t1) {
  EDGETWIN_TRY_ASSIGN(const Flow flow, flow_.compute(frame_t, frame_t1));
  return Turn{flow.vx * deg_per_pooled_px(), flow};
}

Result<double> VisualCompass::compute_yaw(const Tensor& frame_t, const Tensor& frame_t1) {
  EDGETWIN_TRY_ASSIGN(const Turn turn, compute(frame_t, frame_t1));
  return turn.yaw;
}

std::string yaw_to_direction(double yaw, double threshold) {
  return yaw < -threshold ? "left" : yaw > threshold ? "right" : "center";
}

}  // namespace edgetwin::robotics
