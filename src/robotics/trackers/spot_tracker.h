// Where the brightest spot of a picture is, or the spot of a colour.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "robotics/trackers/tracker.h"

namespace edgetwin::robotics {

using Rgb = std::array<double, 3>;

// The colours that have a name; presets.def.
struct Preset {
  std::string_view name;
  Rgb weights;
};
const std::vector<Preset>& presets();

class SpotTracker final : public Tracker {
 public:
  // Error: module_model.
  static Result<SpotTracker> create(std::shared_ptr<Engine> engine, Sidecar sidecar);
  // `variant`: "bright", "color_red" or "red", … Errors: module_model for an unknown one,
  // template_argument.
  static Result<SpotTracker> from_template(int size, const std::string& variant = "bright",
                                           const TwinOptions& options = {});
  // The preset that is nearest to the weights.
  static Result<SpotTracker> from_color_weights(int size, const Rgb& weights,
                                                const TwinOptions& options = {});

  const std::string& variant() const { return variant_; }
  // Of from_color_weights().
  const std::string& matched_variant() const { return matched_variant_; }
  double matched_distance() const { return matched_distance_; }

  // Another colour, from the next picture on. Errors: module_model for models of one channel and
  // those without exchangeable weights; module_weights beyond the range of the scale.
  Status set_color(const std::vector<double>& weights);
  Status reset_color() { return engine_->reset_weights(); }

 private:
  using Tracker::Tracker;
  double weight_scale() const;

  std::string variant_, matched_variant_;
  double matched_distance_ = 0.0;
};

}  // namespace edgetwin::robotics
