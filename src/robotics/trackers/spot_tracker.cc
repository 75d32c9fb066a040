#include "robotics/trackers/spot_tracker.h"

#include <algorithm>
#include <cmath>

#include "base/words/near_word.h"

namespace edgetwin::robotics {
namespace {

constexpr std::string_view kColor = "color_";

const Preset* preset_of(std::string_view variant) {
  if (variant.starts_with(kColor)) variant.remove_prefix(kColor.size());
  for (const Preset& p : presets()) {
    if (p.name == variant) return &p;
  }
  return nullptr;
}

Error unknown_variant(const std::string& variant) {
  std::string known = "bright";
  std::vector<std::string> names = {known};
  for (const Preset& p : presets()) {
    known += ", " + std::string(kColor) + std::string(p.name);
    names.emplace_back(p.name);
  }
  return Error(ErrorCode::module_model, "there is no variant '" + variant +
                                            "' of the spot tracker" + did_you_mean(variant, names))
      .with_hint("There are " + known +
                 "; color_ may be left out. `template spot_tracker` makes others.");
}

double distance(const Rgb& a, const Rgb& b) {
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

const std::vector<Preset>& presets() {
  static const std::vector<Preset> rows = {
#define PRESET(name, red, green, blue) {#name, {red, green, blue}},
#include "robotics/trackers/presets.def"
#undef PRESET
  };
  return rows;
}

Result<SpotTracker> SpotTracker::create(std::shared_ptr<Engine> engine, Sidecar sidecar) {
  EDGETWIN_TRY_ASSIGN(const PictureSize size, check(*engine));
  SpotTracker t(std::move(engine), std::move(sidecar), size);
  t.variant_ = t.sidecar_.text("variant").value_or("bright");
  return t;
}

Result<SpotTracker> SpotTracker::from_template(int size, const std::string& variant,
                                               const TwinOptions& options) {
  edgetpu::templates::SpotTracker a;
  a.height = a.width = size;
  if (variant != "bright") {
    const Preset* preset = preset_of(variant);
    if (preset == nullptr) return unknown_variant(variant);
    a.variant = std::string(kColor) + std::string(preset->name);
    a.color_weights.assign(preset->weights.begin(), preset->weights.end());
  }
  EDGETWIN_TRY_ASSIGN(Prepared p, on_twin(edgetpu::templates::build(a), options));
  return create(std::move(p.engine), std::move(p.sidecar));
}

Result<SpotTracker> SpotTracker::from_color_weights(int size, const Rgb& weights,
                                                    const TwinOptions& options) {
  const auto nearer = [&](const Preset& a, const Preset& b) {
    return distance(a.weights, weights) < distance(b.weights, weights);
  };
  const Preset& nearest = *std::min_element(presets().begin(), presets().end(), nearer);
  EDGETWIN_TRY_ASSIGN(SpotTracker t, from_template(size, std::string(nearest.name), options));
  t.matched_variant_ = std::string(kColor) + std::string(nearest.name);
  t.matched_distance_ = distance(nearest.weights, weights);
  return t;
}

double SpotTracker::weight_scale() const {
  if (const auto scale = sidecar_.number("color_weight_scale")) return *scale;
  const Preset* preset = preset_of(variant_);
  if (preset == nullptr) return 1.0 / 127.0;
  double most = 0.0;
  for (const double w : preset->weights) most = std::max(most, std::fabs(w));
  return most / 127.0;
}

Status SpotTracker::set_color(const std::vector<double>& weights) {
  if (channels() != 3) {
    return Error(ErrorCode::module_model, "the model takes pictures of " +
                                              std::to_string(channels()) +
                                              " channels; a colour needs 3");
  }
  if (weights.size() != 3) {
    return Error(ErrorCode::module_weights,
                 std::to_string(weights.size()) + " weights; red, green and blue are 3");
  }
  const double scale = weight_scale();
  std::vector<int8_t> bytes;
  for (const double w : weights) {
    const double q = std::nearbyint(w / scale);
    if (!(q >= -128.0 && q <= 127.0)) {
      return Error(ErrorCode::module_weights,
                   "a weight of " + std::to_string(w) + " is outside of what the model can hold")
          .detail("scale " + std::to_string(scale) + " x -128 .. 127 = " +
                  std::to_string(-128.0 * scale) + " .. " + std::to_string(127.0 * scale));
    }
    bytes.push_back(static_cast<int8_t>(q));
  }
  if (engine_->weight_count() != 3) {
    return Error(ErrorCode::module_model, "the first layer of the model is no filter of colours");
  }
  return engine_->set_weights(bytes);
}

}  // namespace edgetwin::robotics
