// The network of pooled optical flow in plain numbers: real products rounded half to even, as a
// quick calculation on a CPU does it. It may differ by one from the chip's integers; the model on
// the twin does not.
#pragma once

#include <cstdint>
#include <vector>

#include "robotics/flow/flow_stage.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics {

struct ReplicaOptions {
  double input_scale = 1.0 / 255.0;
  int input_zero_point = 0;
  double int8_scale = 1.0 / 255.0;
  int int8_zero_point = -128;
  double conv_scale = 0.0, pool_scale = 0.0, final_scale = 0.0;  // 0: the one before, or computed
  int conv_zero_point = -128, pool_zero_point = -128, final_zero_point = 0;
  int ksize = 7, orientations = 4;
  std::vector<double> sigmas = {1.5, 3.0};
  int pool_factor = 4, search_range = 4;
  double temperature = 0.1;
};

// What lies between the picture and its features.
struct ReplicaMaps {
  std::vector<uint8_t> input_uint8;
  std::vector<int8_t> after_quantize_int8;
  std::vector<int32_t> conv_acc_int32;
  std::vector<int8_t> conv_output_int8;
  std::vector<int8_t> pool_output_int8;
  Bytes final_uint8;
};

class FlowReplica {
 public:
  // Error: module_input for options that cannot be.
  static Result<FlowReplica> make(int height = 64, int width = 64,
                                  const ReplicaOptions& options = {});

  const ReplicaOptions& options() const { return options_; }
  int filters() const { return filters_; }
  int pooled_height() const { return height_ / options_.pool_factor; }
  int pooled_width() const { return width_ / options_.pool_factor; }

  // A grey picture of the replica's own size. Error: module_input.
  Result<ReplicaMaps> maps(const Tensor& picture) const;
  Result<Flow> compute(const Tensor& frame_t, const Tensor& frame_t1);

 private:
  FlowReplica(FlowStage stage) : stage_(std::move(stage)) {}
  std::vector<int32_t> convolve(const std::vector<int8_t>& x) const;

  int height_ = 0, width_ = 0, filters_ = 0;
  ReplicaOptions options_;
  std::vector<int8_t> weights_;      // [row][column][filter]
  std::vector<double> multipliers_;  // per filter
  FlowStage stage_;
};

}  // namespace edgetwin::robotics
