// The motion of a whole picture between two frames, and the turn of a camera from it.
#pragma once

#include <string>

#include "robotics/flow/flow_stage.h"
#include "robotics/module.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics {

struct FlowOptions {
  int search_range = 4;
  double temperature = 0.1;
  int pool_factor = 4;  // of models that do not average themselves
};

class OpticalFlow final : public Module {
 public:
  // Errors: module_model, module_input for options that cannot be.
  static Result<OpticalFlow> create(std::shared_ptr<Engine> engine, Sidecar sidecar,
                                    const FlowOptions& options = {});
  static Result<OpticalFlow> from_template(int size, const FlowOptions& options = {},
                                           bool pooled = false, const TwinOptions& twin = {});

  int height() const { return size_.height; }
  int width() const { return size_.width; }
  int num_filters() const { return stage_.settings().filters; }
  int fused_pool() const { return fused_pool_; }  // 0: the model does not average
  const FlowOptions& options() const { return options_; }
  // Pixels of the picture in one unit of the flow.
  int effective_pool() const { return fused_pool_ > 0 ? fused_pool_ : options_.pool_factor; }
  const FlowStage& stage() const { return stage_; }

  // Two grey pictures of the model's own size, the older first. Errors: module_closed,
  // module_input.
  Result<Flow> compute(const Tensor& frame_t, const Tensor& frame_t1);
  // The same from the bytes that the model takes.
  Result<Flow> compute_raw(ByteSpan frame_t, ByteSpan frame_t1);
  // [height][width][filters] as bytes, and as real numbers.
  Result<Bytes> extract_features_raw(const Tensor& frame);
  Result<std::vector<float>> extract_features(const Tensor& frame);
  // From features that were kept.
  Result<Flow> compute_features(ByteSpan features_t, ByteSpan features_t1) {
    return stage_.compute(features_t, features_t1);
  }

 private:
  OpticalFlow(std::shared_ptr<Engine> engine, Sidecar sidecar, FlowStage stage)
      : Module(std::move(engine), std::move(sidecar)), stage_(std::move(stage)) {}

  PictureSize size_;
  FlowOptions options_;
  int fused_pool_ = 0;
  FlowStage stage_;
};

// How far a camera has turned around its upright axis, from the flow of what it sees.
class VisualCompass {
 public:
  // `fov_deg`: the angle that the width of a picture covers, above 0 and at most 360. Error:
  // module_input.
  static Result<VisualCompass> create(OpticalFlow flow, double fov_deg);
  static Result<VisualCompass> from_template(int size, double fov_deg, bool pooled = true,
                                             const FlowOptions& options = {},
                                             const TwinOptions& twin = {});
  struct Turn {
    double yaw = 0.0;  // degrees
    Flow flow;
  };

  Status open() { return flow_.open(); }
  void close() { flow_.close(); }
  bool is_open() const { return flow_.is_open(); }
  Result<Turn> compute(const Tensor& frame_t, const Tensor& frame_t1);
  Result<double> compute_yaw(const Tensor& frame_t, const Tensor& frame_t1);

  double fov_deg() const { return fov_deg_; }
  double deg_per_pooled_px() const { return fov_deg_ * flow_.effective_pool() / flow_.width(); }
  OpticalFlow& flow() { return flow_; }
  int width() const { return flow_.width(); }
  int height() const { return flow_.height(); }

 private:
  VisualCompass(OpticalFlow flow, double fov_deg) : flow_(std::move(flow)), fov_deg_(fov_deg) {}
  OpticalFlow flow_;
  double fov_deg_;
};

// "left" below -threshold, "right" above it, else "center".
std::string yaw_to_direction(double yaw, double threshold = 1.0);

}  // namespace edgetwin::robotics
