// Folders of pictures: train/<class>/*.png and test/<class>/*.png, perhaps val/<class>/*.png, or
// <class>/*.png alone; sorted by the bytes of the names.
#include <algorithm>

#include "base/file.h"
#include "image/image.h"
#include "image/resize.h"
#include "train/data/data.h"
#include "train/data/unreadable.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.is_directory(failed) != folders) continue;
    const std::string extension = entry.path().extension().string();
    const bool picture =
        extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".bmp";
    if (folders || picture) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string size_text(int channels, int height, int width) {
  return std::to_string(channels) + "x" + std::to_string(height) + "x" + std::to_string(width);
}

// Pictures of <folder>/<class>, after those that the set has.
Status append_classes(const fs::path& folder, const std::vector<std::string>& classes,
                      const DataOptions& options, DataSet& set) {
  Unreadable unreadable;
  for (size_t c = 0; c < classes.size(); ++c) {
    for (const std::string& name : pictures_in(folder / classes[c])) {
      if (!unreadable.read(append_picture(folder / classes[c] / name, options, set))) continue;
      set.names.back() = classes[c] + "/" + name;
      set.labels.push_back(static_cast<int64_t>(c));
    }
  }
  return unreadable.status();
}

Result<std::vector<std::string>> classes_of(const fs::path& folder, const DataOptions& options) {
  const std::vector<std::string> found = folders_in(folder);
  for (const std::string& name : options.classes) {
    if (std::find(found.begin(), found.end(), name) != found.end()) continue;
    return broken(Rule::label, "there is no folder of the class '" + name + "'")
        .in_file(folder.string());
  }
  return options.classes.empty() ? found : options.classes;
}

Result<Data> read_whole(const fs::path& folder, const DataOptions& options) {
  Data data;
  data.format = "pictures";
  EDGETWIN_TRY_ASSIGN(data.classes, classes_of(folder, options));
  DataSet all;
  EDGETWIN_TRY(append_classes(folder, data.classes, options, all));
  data.remarks.emplace_back("no test part: " + shares_text(options.split) +
                            " by a hash of the name");
  data.divided = true;
  EDGETWIN_TRY(divide(
      all, [&](size_t i) -> Result<Part> { return part_by_name(all.names[i], options.split); },
      data));
  return data;
}

}  // namespace

std::vector<std::string> folders_in(const fs::path& folder) { return names_in(folder, true); }
std::vector<std::string> pictures_in(const fs::path& folder) { return names_in(folder, false); }

Status append_picture(const fs::path& file, const DataOptions& options, DataSet& set,
                      PictureSize* before) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(Tensor picture, decode_image(data, file.string()));
  const auto size = [&](int axis) { return static_cast<int>(picture.shape[axis]); };
  if (before != nullptr) *before = {size(2), size(0), size(1)};
  if (options.height > 0 && (size(0) != options.height || size(1) != options.width)) {
    EDGETWIN_TRY_ASSIGN(picture,
                        resize_smooth(picture, options.height, options.width, Filter::bilinear));
  }
  if (set.names.empty()) {
    set.height = size(0);
    set.width = size(1);
    set.channels = size(2);
  }
  if (size(0) != set.height || size(1) != set.width || size(2) != set.channels) {
    return broken(Rule::data_shape, "the picture is " + size_text(size(2), size(0), size(1)) +
                                        ", the first one " +
                                        size_text(set.channels, set.height, set.width))
        .in_file(file.string())
        .detail("`data: {resize: [rows, columns]}` brings pictures to one size");
  }
  const auto pixels = picture.as<uint8_t>();
  const auto channels = static_cast<size_t>(set.channels);
  for (size_t c = 0; c < channels; ++c) {
    for (size_t p = c; p < pixels.size(); p += channels) set.bytes.push_back(pixels[p]);
  }
  set.names.push_back(file.filename().string());
  return Ok{};
}

bool has_pictures(const fs::path& folder) {
  if (!folders_in(folder / "train").empty()) return true;
  const std::vector<std::string> classes = folders_in(folder);
  return std::any_of(classes.begin(), classes.end(),
                     [&](const std::string& name) { return !pictures_in(folder / name).empty(); });
}

Result<Data> read_pictures(const fs::path& folder, const DataOptions& options) {
  if (folders_in(folder / "train").empty()) return read_whole(folder, options);
  Data data;
  data.format = "pictures";
  EDGETWIN_TRY_ASSIGN(data.classes, classes_of(folder / "train", options));
  EDGETWIN_TRY(append_classes(folder / "train", data.classes, options, data.train));
  const size_t own = data.train.items();
  EDGETWIN_TRY(append_classes(folder / "val", data.classes, options, data.train));
  for (size_t i = own; i < data.train.items(); ++i) {
    data.validation.push_back(static_cast<uint32_t>(i));
  }
  EDGETWIN_TRY(append_classes(folder / "test", data.classes, options, data.test));
  return data;
}

}  // namespace edgetwin::train
