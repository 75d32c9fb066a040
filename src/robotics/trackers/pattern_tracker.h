// Where a pattern fits best: one convolution with the pattern as its filter.
#pragma once

#include <vector>

#include "base/finding.h"
#include "robotics/trackers/tracker.h"

namespace edgetwin::robotics {

class PatternTracker final : public Tracker {
 public:
  // Error: module_model.
  static Result<PatternTracker> create(std::shared_ptr<Engine> engine, Sidecar sidecar);
  static Result<PatternTracker> from_template(int search, int kernel, int channels = 1,
                                              const TwinOptions& options = {});

  int kernel_height() const { return kernel_height_; }
  int kernel_width() const { return kernel_width_; }
  size_t weight_count() const { return weight_count_; }

  // kernel height x width, perhaps x channels, float32 or uint8. Values within 0..1 are taken as
  // shares of 255, with a warning. The numbers are quantized with the scale of the model's own
  // pattern and limited; nothing is subtracted from them. Errors: module_model without
  // exchangeable weights or scale, module_weights for another shape or values that are no numbers.
  Status set_template(const Tensor& patch);
  // Errors: module_weights for another number, module_model.
  Status set_template_raw(std::span<const int8_t> weights);
  Status reset_template() { return engine_->reset_weights(); }
  // Of the last set_template().
  const std::vector<Finding>& findings() const { return findings_; }

 private:
  using Tracker::Tracker;
  int kernel_height_ = 16, kernel_width_ = 16;
  size_t weight_count_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace edgetwin::robotics
