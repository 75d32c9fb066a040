#include "camera/recorder.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "image/image.h"
#include "image/jpeg.h"

namespace edgetwin::camera {
namespace {

constexpr int kQuality = 85;

// Files that other programs write under such a name, and no folder has.
constexpr std::array<std::string_view, 14> kOtherFiles = {".gif",  ".png", ".jpg", ".jpeg", ".bmp",
                                                          ".webp", ".tif", ".mp4", ".webm", ".avi",
                                                          ".mov",  ".mkv", ".mpg", ".apng"};

}  // namespace

Result<Recorder> Recorder::create(const std::filesystem::path& target, Overwrite overwrite) {
  Recorder r(target, overwrite);
  const std::string ending = target.extension().string();
  if (ending == ".mjpeg" || ending == ".mjpg") {
    EDGETWIN_TRY(check_output(target, overwrite));
    return r;
  }
  if (std::ranges::find(kOtherFiles, ending) != kOtherFiles.end()) {
    return Error(ErrorCode::usage, "pictures are not recorded as " + ending)
        .in_file(target.string())
        .with_hint("Name a folder, which gets PNG files, or a file that ends in .mjpeg.");
  }
  EDGETWIN_TRY_ASSIGN(AtomicFolder folder, AtomicFolder::create(target, overwrite));
  r.folder_.emplace(std::move(folder));
  return r;
}

Status Recorder::add(const Tensor& picture) {
  ++count_;
  if (!folder_) {
    EDGETWIN_TRY_ASSIGN(const Bytes jpeg, encode_jpeg(picture, kQuality));
    if (stream_.size() + jpeg.size() > kMaxFileBytes) {
      return Error(ErrorCode::out_of_memory, "more than 2 GiB of pictures");
    }
    stream_.insert(stream_.end(), jpeg.begin(), jpeg.end());
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const Bytes png, encode_png(picture));
  std::string number = std::to_string(count_ - 1);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
  return folder_->write("frame_" + number + ".png", png);
}

Status Recorder::finish() {
  return folder_ ? folder_->commit() : write_file(target_, ByteSpan(stream_), overwrite_);
}

}  // namespace edgetwin::camera
