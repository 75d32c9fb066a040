// Where pictures come from: made up, a folder of files, or a camera of the system.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::camera {

class Camera {
 public:
  virtual ~Camera() = default;
  // uint8, height x width x 3; nothing at the end. Errors: camera_device, those of the readers.
  virtual Result<std::optional<Tensor>> read() = 0;
  // "synthetic:panning, 640 x 480"
  virtual std::string description() const = 0;
};

struct Settings {
  int width = 640, height = 480, fps = 30;
};

// "synthetic:NAME", a folder, a number (3 is /dev/video3) or the device's own name. Errors: usage
// for an unknown pattern, camera_device.
Result<std::unique_ptr<Camera>> open_camera(const std::string& source, const Settings& settings);

}  // namespace edgetwin::camera
