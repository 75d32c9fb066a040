// The pictures of a folder in the order of their names.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "camera/camera.h"

namespace edgetwin::camera {

class FolderCamera final : public Camera {
 public:
  // Error: camera_device where the folder cannot be read or has no pictures.
  static Result<std::unique_ptr<FolderCamera>> create(const std::filesystem::path& folder);
  Result<std::optional<Tensor>> read() override;
  std::string description() const override;

 private:
  FolderCamera(std::filesystem::path folder, std::vector<std::filesystem::path> files)
      : folder_(std::move(folder)), files_(std::move(files)) {}
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> files_;
  size_t next_ = 0;
};

// Grey pictures get three equal channels.
Result<Tensor> to_rgb(Tensor picture);

}  // namespace edgetwin::camera
