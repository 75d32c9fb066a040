// Folders of pictures: train/<class>/*.png and test/<class>/*.png, sorted by the bytes of the
// names.
#include "base/file.h"
#include "image/image.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

// Names of the folders, or of the files, in a folder.
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

Status append(const fs::path& file, int64_t label, DataSet& set) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(const Tensor picture, decode_image(data, file.string()));
  const auto size = [&](int axis) { return static_cast<int>(picture.shape[axis]); };
  if (set.labels.empty()) {
    set.height = size(0);
    set.width = size(1);
    set.channels = size(2);
  }
  if (size(0) != set.height || size(1) != set.width || size(2) != set.channels) {
    return broken(Rule::data_shape, "the picture is " + std::to_string(size(2)) + "x" +
                                        std::to_string(size(0)) + "x" + std::to_string(size(1)) +
                                        ", the first one " + std::to_string(set.channels) + "x" +
                                        std::to_string(set.height) + "x" +
                                        std::to_string(set.width))
        .in_file(file.string());
  }
  const auto pixels = picture.as<uint8_t>();
  const auto channels = static_cast<size_t>(set.channels);
  for (size_t c = 0; c < channels; ++c) {
    for (size_t p = c; p < pixels.size(); p += channels) set.bytes.push_back(pixels[p]);
  }
  set.labels.push_back(label);
  return Ok{};
}

Result<DataSet> read_class_folders(const fs::path& folder,
                                   const std::vector<std::string>& classes) {
  DataSet set;
  for (size_t c = 0; c < classes.size(); ++c) {
    for (const std::string& name : names_in(folder / classes[c], false)) {
      EDGETWIN_TRY(append(folder / classes[c] / name, static_cast<int64_t>(c), set));
    }
  }
  return set;
}

}  // namespace

bool has_pictures(const fs::path& folder) { return !names_in(folder / "train", true).empty(); }

Result<Data> read_pictures(const fs::path& folder) {
  Data data{.train = {},
            .test = {},
            .classes = names_in(folder / "train", true),
            .format = "pictures",
            .validation = {}};
  EDGETWIN_TRY_ASSIGN(data.train, read_class_folders(folder / "train", data.classes));
  EDGETWIN_TRY_ASSIGN(data.test, read_class_folders(folder / "test", data.classes));
  return data;
}

}  // namespace edgetwin::train
