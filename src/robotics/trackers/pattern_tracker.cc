#include "robotics/trackers/pattern_tracker.h"

#include <algorithm>
#include <cmath>

#include "robotics/quantize.h"

namespace edgetwin::robotics {
namespace {

Error bad_patch(std::string message) {
  return Error(ErrorCode::module_weights, std::move(message));
}

Result<std::vector<float>> real_values(const Tensor& patch) {
  std::vector<float> values;
  if (patch.dtype == DType::uint8) {
    for (const uint8_t v : patch.as<uint8_t>()) values.push_back(v);
  } else if (patch.dtype == DType::float32) {
    values.assign(patch.as<float>().begin(), patch.as<float>().end());
  } else {
    return bad_patch("a pattern of " + std::string(name(patch.dtype)) +
                     "; uint8 and float32 can be taken");
  }
  for (const float v : values) {
    if (!std::isfinite(v)) return bad_patch("the pattern has a value that is no number");
  }
  return values;
}

}  // namespace

Result<PatternTracker> PatternTracker::create(std::shared_ptr<Engine> engine, Sidecar sidecar) {
  EDGETWIN_TRY_ASSIGN(const PictureSize size, check(*engine));
  PatternTracker t(std::move(engine), std::move(sidecar), size);
  t.kernel_height_ = t.sidecar_.integer("kernel_height").value_or(16);
  t.kernel_width_ = t.sidecar_.integer("kernel_width").value_or(16);
  if (t.kernel_height_ < 1 || t.kernel_width_ < 1 || t.kernel_height_ > size.height ||
      t.kernel_width_ > size.width) {
    return Error(ErrorCode::module_model, "the side-car file has a pattern of " +
                                              std::to_string(t.kernel_height_) + " x " +
                                              std::to_string(t.kernel_width_));
  }
  const int64_t count = int64_t{t.kernel_height_} * t.kernel_width_ * size.channels;
  t.weight_count_ = static_cast<size_t>(
      std::max(t.sidecar_.integer("conv_weight_count").value_or(static_cast<int>(count)), 0));
  return t;
}

Result<PatternTracker> PatternTracker::from_template(int search, int kernel, int channels,
                                                     const TwinOptions& options) {
  edgetpu::templates::PatternTracker a;
  a.search_h = a.search_w = search;
  a.kernel_h = a.kernel_w = kernel;
  a.channels = channels;
  EDGETWIN_TRY_ASSIGN(Prepared p, on_twin(edgetpu::templates::build(a), options));
  return create(std::move(p.engine), std::move(p.sidecar));
}

Status PatternTracker::set_template(const Tensor& patch) {
  findings_.clear();
  if (!engine_->exchangeable()) {
    return Error(ErrorCode::module_model, "the weights of this model cannot be replaced");
  }
  const Shape wanted{kernel_height_, kernel_width_, channels()};
  Shape shape = patch.shape;
  if (shape.rank() == 2 && channels() == 1) shape.push_back(1);
  if (shape != wanted) {
    return bad_patch("the pattern is " + to_string(patch.shape) + ", the model's is " +
                     to_string(wanted));
  }
  const auto scale = sidecar_.number("conv_weight_scale");
  if (!scale) {
    return Error(ErrorCode::module_model,
                 "the side-car file does not say the scale of the pattern, conv_weight_scale");
  }
  EDGETWIN_TRY_ASSIGN(std::vector<float> values, real_values(patch));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least >= 0.0F && *most > 0.0F && *most <= 1.0F) {
    findings_.push_back({Severity::warning, "", "pattern",
                         "all values are between 0 and 1; they are taken as shares of 255", ""});
    for (float& v : values) v *= 255.0F;
  }
  const int zero_point = sidecar_.integer("conv_weight_zero_point").value_or(0);
  EDGETWIN_TRY_ASSIGN(const std::vector<int8_t> weights,
                      quantize_int8(values, static_cast<float>(*scale), zero_point));
  return set_template_raw(weights);
}

Status PatternTracker::set_template_raw(std::span<const int8_t> weights) {
  if (weights.size() != weight_count_) {
    return bad_patch(std::to_string(weights.size()) + " weights, the pattern has " +
                     std::to_string(weight_count_));
  }
  return engine_->set_weights(weights);
}

}  // namespace edgetwin::robotics
