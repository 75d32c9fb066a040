// What the spot tracker and the pattern tracker share: pictures in, a position out.
#pragma once

#include <string>

#include "robotics/module.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics {

// From the centre: x to the right, y down, -1 to 1.
struct Position {
  double x = 0.0, y = 0.0;
};

class Tracker : public Module {
 public:
  // Errors: module_closed, module_input.
  Result<Position> track(const Tensor& picture, bool resize = true);
  // The two bytes of the chip.
  Result<Bytes> track_raw(ByteSpan picture);
  // Of at least two bytes. Error: module_input.
  Result<Position> decode(ByteSpan raw) const;

  int height() const { return size_.height; }
  int width() const { return size_.width; }
  int channels() const { return size_.channels; }
  double temperature() const { return temperature_; }
  double y_offset() const { return y_offset_; }

 protected:
  Tracker(std::shared_ptr<Engine> engine, Sidecar sidecar, PictureSize size);
  // An output of two bytes. Error: module_model.
  static Result<PictureSize> check(const Engine& engine);

 private:
  PictureSize size_;
  double temperature_, y_offset_;
};

// "center" where both are below the threshold, else "up-left", "right", …
std::string offset_to_direction(double x, double y, double threshold = 0.1);
// What a servo must be turned by.
Position offset_to_servo_error(double x, double y, double gain = 1.0);

}  // namespace edgetwin::robotics
