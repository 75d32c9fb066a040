// Where pictures go: a folder of PNG files, or one file of JPEG pictures one after the other.
#pragma once

#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::camera {

class Recorder {
 public:
  // A name that ends in .mjpeg or .mjpg is a file, any other a folder. Nothing appears before
  // finish(). Errors: output_exists, file_write, and
  // usage for names of other files, such as .gif.
  static Result<Recorder> create(const std::filesystem::path& target, Overwrite overwrite);
  // Errors: file_write, image_decode, and out_of_memory beyond 2 GiB of pictures.
  Status add(const Tensor& picture);
  Status finish();
  int64_t count() const { return count_; }

 private:
  Recorder(std::filesystem::path target, Overwrite overwrite)
      : target_(std::move(target)), overwrite_(overwrite) {}
  std::filesystem::path target_;
  Overwrite overwrite_;
  std::optional<AtomicFolder> folder_;
  Bytes stream_;
  int64_t count_ = 0;
};

}  // namespace edgetwin::camera
