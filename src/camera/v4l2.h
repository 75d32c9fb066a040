// Cameras of Linux (Video4Linux 2) by plain calls: four buffers in shared memory, YUYV or JPEG.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.h"
#include "camera/camera.h"
#include "camera/device.h"

namespace edgetwin::camera {

class V4l2Camera final : public Camera {
 public:
  // Takes the size that the driver makes of the one asked for. Error: camera_device.
  static Result<std::unique_ptr<V4l2Camera>> create(const std::string& device,
                                                    const Settings& settings,
                                                    std::shared_ptr<DeviceCalls> calls);
  ~V4l2Camera() override;
  Result<std::optional<Tensor>> read() override;
  std::string description() const override;

  int width() const { return width_; }
  int height() const { return height_; }

 private:
  V4l2Camera(std::string device, std::shared_ptr<DeviceCalls> calls)
      : device_(std::move(device)), calls_(std::move(calls)) {}
  Error failed(const std::string& what) const;
  Status check_capabilities();
  Status choose_format(const Settings& settings);
  Status start();
  Result<Tensor> decode(ByteSpan frame) const;

  struct Buffer {
    void* memory = nullptr;
    size_t size = 0;
  };
  std::string device_;
  std::shared_ptr<DeviceCalls> calls_;
  int fd_ = -1;
  int width_ = 0, height_ = 0;
  size_t row_ = 0;  // bytes of a row of YUYV
  bool jpeg_ = false, streaming_ = false;
  std::vector<Buffer> buffers_;
};

// Pairs of pixels Y0 U Y1 V, in the range of television (16 to 235), to RGB; `row` bytes from one
// row to the next. `data` has height * row bytes.
Result<Tensor> yuyv_to_rgb(ByteSpan data, int width, int height, size_t row);

}  // namespace edgetwin::camera
