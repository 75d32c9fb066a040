#include "camera/folder.h"

#include <algorithm>
#include <array>

#include "base/file.h"
#include "image/image.h"

namespace edgetwin::camera {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxPictureFile = uint64_t{256} << 20;

bool is_picture_name(const fs::path& path) {
  static constexpr std::array<std::string_view, 4> kEndings = {".bmp", ".jpeg", ".jpg", ".png"};
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

}  // namespace

Result<Tensor> to_rgb(Tensor picture) {
  if (picture.shape[2] == 3) return picture;
  EDGETWIN_TRY_ASSIGN(Tensor rgb,
                      Tensor::zeros(DType::uint8, {picture.shape[0], picture.shape[1], 3}));
  for (size_t i = 0; i < rgb.data.size(); ++i) rgb.data[i] = picture.data[i / 3];
  return rgb;
}

Result<std::unique_ptr<FolderCamera>> FolderCamera::create(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (is_picture_name(at->path())) files.push_back(at->path());
  }
  if (error) {
    return Error(ErrorCode::camera_device, "the folder cannot be read: " + error.message())
        .in_file(folder.string());
  }
  if (files.empty()) {
    return Error(ErrorCode::camera_device, "the folder has no PNG, JPEG or BMP pictures")
        .in_file(folder.string());
  }
  std::sort(files.begin(), files.end());
  return std::unique_ptr<FolderCamera>(new FolderCamera(folder, std::move(files)));
}

Result<std::optional<Tensor>> FolderCamera::read() {
  if (next_ == files_.size()) return std::optional<Tensor>();
  const std::string name = files_[next_++].string();
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(name, kMaxPictureFile));
  EDGETWIN_TRY_ASSIGN(Tensor picture, decode_image(data, name));
  EDGETWIN_TRY_ASSIGN(picture, to_rgb(std::move(picture)));
  return std::optional<Tensor>(std::move(picture));
}

std::string FolderCamera::description() const {
  return folder_.string() + ", " + std::to_string(files_.size()) + " pictures";
}

}  // namespace edgetwin::camera
