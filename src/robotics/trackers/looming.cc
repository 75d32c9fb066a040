#include "robotics/trackers/looming.h"

#include <algorithm>
#include <limits>

#include "robotics/picture.h"

namespace edgetwin::robotics {

Result<LoomingDetector> LoomingDetector::create(std::shared_ptr<Engine> engine, Sidecar sidecar) {
  EDGETWIN_TRY_ASSIGN(const PictureSize size, picture_size(*engine));
  LoomingDetector d(std::move(engine), std::move(sidecar));
  if (d.output_bytes() != 9 || size.channels != 1) {
    return Error(ErrorCode::module_model,
                 "the model takes " + to_string(d.input_shape()) + " and gives " +
                     std::to_string(d.output_bytes()) +
                     " bytes; a detector's takes a grey picture and gives 9, one for each zone");
  }
  d.size_ = size;
  d.zones_ = d.sidecar_.integer("zones").value_or(3);
  return d;
}

Result<LoomingDetector> LoomingDetector::from_template(int size, int zones,
                                                       const TwinOptions& options) {
  edgetpu::templates::Looming a;
  a.height = a.width = size;
  a.zones = zones;
  EDGETWIN_TRY_ASSIGN(Prepared p, on_twin(edgetpu::templates::build(a), options));
  return create(std::move(p.engine), std::move(p.sidecar));
}

Result<Zones> LoomingDetector::detect(const Tensor& picture) {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY_ASSIGN(const Tensor p, normalize(picture, false, size_.height, size_.width, 1));
  EDGETWIN_TRY_ASSIGN(const Bytes raw, execute_raw(p.data));
  Zones zones;
  std::transform(raw.begin(), raw.end(), zones.begin(),
                 [&](std::byte b) { return engine_->outputs().front().real(b); });
  return zones;
}

Result<double> LoomingDetector::compute_tau(std::span<const float> zones, double eps) {
  if (zones.size() != 9) {
    return Error(ErrorCode::module_input, std::to_string(zones.size()) + " zones; there are 9");
  }
  double others = 0.0;
  for (size_t i = 0; i < zones.size(); ++i) others += i == 4 ? 0.0 : static_cast<double>(zones[i]);
  return static_cast<double>(zones[4]) / std::max(others / 8.0, eps);
}

double LoomingDetector::compute_ttc(std::span<const double> history, double dt,
                                    size_t min_samples) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (!(dt > 0.0) || history.size() < min_samples || history.size() < 2) return kNever;
  const double rate =
      (history.back() - history.front()) / (static_cast<double>(history.size() - 1) * dt);
  if (!(rate > 0.0) || history.back() <= 1.0) return kNever;
  return std::max(0.0, (2.0 - history.back()) / rate);
}

}  // namespace edgetwin::robotics
