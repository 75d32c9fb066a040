// Edges in nine zones of a grey picture, and from them whether something comes nearer.
#pragma once

#include <array>
#include <span>

#include "robotics/module.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics {

using Zones = std::array<float, 9>;  // row by row; 4 is the centre

class LoomingDetector final : public Module {
 public:
  // Error: module_model.
  static Result<LoomingDetector> create(std::shared_ptr<Engine> engine, Sidecar sidecar);
  static Result<LoomingDetector> from_template(int size, int zones = 3,
                                               const TwinOptions& options = {});

  int height() const { return size_.height; }
  int width() const { return size_.width; }
  int zones_per_dim() const { return zones_; }

  // Grey, of the model's own size. Errors: module_closed, module_input.
  Result<Zones> detect(const Tensor& picture);
  Result<Bytes> detect_raw(ByteSpan picture) { return execute_raw(picture); }

  // The centre's density over the mean of the eight others, which counts as `eps` at least. Error:
  // module_input unless there are nine.
  static Result<double> compute_tau(std::span<const float> zones, double eps = 1e-6);
  // Time until tau is 2, from values that are `dt` apart; infinite where nothing approaches.
  static double compute_ttc(std::span<const double> history, double dt, size_t min_samples = 3);

 private:
  using Module::Module;
  PictureSize size_;
  int zones_ = 3;
};

}  // namespace edgetwin::robotics
