#include "camera/camera.h"

#include <algorithm>
#include <filesystem>

#include "camera/folder.h"
#include "camera/synthetic.h"
#include "camera/v4l2.h"

namespace edgetwin::camera {

Result<std::unique_ptr<Camera>> open_camera(const std::string& source, const Settings& settings) {
  constexpr std::string_view kSynthetic = "synthetic:";
  if (source.starts_with(kSynthetic)) {
    EDGETWIN_TRY_ASSIGN(auto made,
                        SyntheticCamera::create(source.substr(kSynthetic.size()), settings));
    return std::unique_ptr<Camera>(std::move(made));
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(source, ignored)) {
    EDGETWIN_TRY_ASSIGN(auto made, FolderCamera::create(source));
    return std::unique_ptr<Camera>(std::move(made));
  }
  const bool number = !source.empty() && source.size() <= 3 &&
                      source.find_first_not_of("0123456789") == std::string::npos;
  const std::string device = number ? "/dev/video" + source : source;
  EDGETWIN_TRY_ASSIGN(auto made, V4l2Camera::create(device, settings, system_calls()));
  return std::unique_ptr<Camera>(std::move(made));
}

}  // namespace edgetwin::camera
