#include "robotics/trackers/tracker.h"

#include <cmath>

#include "robotics/picture.h"

namespace edgetwin::robotics {

Tracker::Tracker(std::shared_ptr<Engine> engine, Sidecar sidecar, PictureSize size)
    : Module(std::move(engine), std::move(sidecar)), size_(size) {
  temperature_ = sidecar_.number("temperature").value_or(0.1);
  y_offset_ = sidecar_.number("y_offset").value_or(1.0 / temperature_);
}

Result<PictureSize> Tracker::check(const Engine& engine) {
  size_t bytes = 0;
  for (const BytePort& port : engine.outputs()) bytes += port.bytes;
  if (bytes != 2) {
    return Error(ErrorCode::module_model, "the model gives " + std::to_string(bytes) +
                                              " bytes; a tracker's gives 2, x and y");
  }
  return picture_size(engine);
}

Result<Position> Tracker::track(const Tensor& picture, bool resize) {
  EDGETWIN_TRY(check_open());
  EDGETWIN_TRY_ASSIGN(const Tensor p,
                      normalize(picture, resize, size_.height, size_.width, size_.channels));
  EDGETWIN_TRY_ASSIGN(const Bytes raw, track_raw(p.data));
  return decode(raw);
}

Result<Bytes> Tracker::track_raw(ByteSpan picture) { return execute_raw(picture); }

Result<Position> Tracker::decode(ByteSpan raw) const {
  if (raw.size() < 2) {
    return Error(ErrorCode::module_input,
                 std::to_string(raw.size()) + " bytes; a position has 2, x and y");
  }
  const BytePort& port = engine_->outputs().front();
  return Position{port.real(raw[0]) * temperature_, (port.real(raw[1]) - y_offset_) * temperature_};
}

std::string offset_to_direction(double x, double y, double threshold) {
  const bool far_x = std::fabs(x) >= threshold, far_y = std::fabs(y) >= threshold;
  if (!far_x && !far_y) return "center";
  const std::string vertical = !far_y ? "" : y > 0 ? "down" : "up";
  const std::string horizontal = !far_x ? "" : x > 0 ? "right" : "left";
  return vertical + (far_x && far_y ? "-" : "") + horizontal;
}

Position offset_to_servo_error(double x, double y, double gain) { return {-x * gain, -y * gain}; }

}  // namespace edgetwin::robotics
