// Pictures with masks: images/ and masks/ with the same names, perhaps in train/, val/ and test/.
// A grey mask has the class of each place; a coloured one has colours, whose classes are their
// order.
#include <algorithm>
#include <set>

#include "base/file.h"
#include "image/image.h"
#include "image/resize.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostColours = 256;

// The mask of a picture: the same name, perhaps with another ending.
fs::path mask_of(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  if (fs::exists(folder / name, failed)) return folder / name;
  return folder / fs::path(name).replace_extension(".png");
}

// The value of each place: of a grey mask its class, else its colour.
Result<std::vector<uint32_t>> places_of(const fs::path& file, const DataSet& set,
                                        const DataOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  EDGETWIN_TRY_ASSIGN(Tensor mask, decode_image(data, file.string()));
  if (options.height > 0) {
    EDGETWIN_TRY_ASSIGN(mask, resized(mask, options.height, options.width, Resize::nearest));
  }
  if (mask.shape[0] != set.height || mask.shape[1] != set.width) {
    return broken(Rule::data_shape, "the mask is " + std::to_string(mask.shape[0]) + "x" +
                                        std::to_string(mask.shape[1]) + ", the pictures are " +
                                        std::to_string(set.height) + "x" +
                                        std::to_string(set.width))
        .in_file(file.string());
  }
  const auto pixels = mask.as<uint8_t>();
  std::vector<uint32_t> places;
  for (size_t i = 0; i < pixels.size(); i += static_cast<size_t>(mask.shape[2])) {
    uint32_t value = 0;
    for (size_t c = 0; c < static_cast<size_t>(mask.shape[2]); ++c)
      value = value << 8 | pixels[i + c];
    places.push_back(value);
  }
  return places;
}

class MaskReader {
 public:
  explicit MaskReader(const DataOptions& options) : options_(options) {}

  Status append(const fs::path& folder, DataSet& set) {
    set.kind = TargetKind::masks;
    for (const std::string& name : pictures_in(folder / "images")) {
      EDGETWIN_TRY(append_picture(folder / "images" / name, options_, set));
      EDGETWIN_TRY_ASSIGN(const std::vector<uint32_t> places,
                          places_of(mask_of(folder / "masks", name), set, options_));
      for (const uint32_t v : places) {
        set.labels.push_back(v);
        seen_.insert(v);
      }
      if (seen_.size() <= kMostColours) continue;
      return broken(Rule::label, "the masks have more than 256 values: are they smoothed?")
          .in_file((folder / "masks" / name).string());
    }
    return Ok{};
  }

  // Values to classes: grey ones are classes already.
  std::vector<std::string> finish(const std::vector<DataSet*>& sets) const {
    const bool grey = seen_.empty() || *seen_.rbegin() < kMostColours;
    std::vector<uint32_t> colours(seen_.begin(), seen_.end());
    if (grey) {
      const uint32_t classes = seen_.empty() ? 0 : *seen_.rbegin() + 1;
      colours.clear();
      for (uint32_t c = 0; c < classes; ++c) colours.push_back(c);
    }
    for (DataSet* set : sets) {
      for (int64_t& label : set->labels) {
        label = std::lower_bound(colours.begin(), colours.end(), label) - colours.begin();
      }
    }
    std::vector<std::string> names = options_.classes;
    for (size_t c = names.size(); c < colours.size(); ++c) names.push_back(std::to_string(c));
    return names;
  }

 private:
  const DataOptions& options_;
  std::set<uint32_t> seen_;
};

}  // namespace

bool has_masks(const fs::path& folder) {
  return !pictures_in(folder / "images").empty() || !pictures_in(folder / "train/images").empty();
}

Result<Data> read_masks(const fs::path& folder, const DataOptions& options) {
  Data data;
  data.format = "masks";
  MaskReader reader(options);
  if (pictures_in(folder / "train/images").empty()) {
    DataSet all;
    EDGETWIN_TRY(reader.append(folder, all));
    data.classes = reader.finish({&all});
    data.remarks.emplace_back("no test part: " + shares_text(options.split) +
                              " by a hash of the name");
    data.divided = true;
    EDGETWIN_TRY(divide(
        all, [&](size_t i) -> Result<Part> { return part_by_name(all.names[i], options.split); },
        data));
    return data;
  }
  EDGETWIN_TRY(reader.append(folder / "train", data.train));
  const size_t own = data.train.items();
  EDGETWIN_TRY(reader.append(folder / "val", data.train));
  for (size_t i = own; i < data.train.items(); ++i) {
    data.validation.push_back(static_cast<uint32_t>(i));
  }
  EDGETWIN_TRY(reader.append(folder / "test", data.test));
  data.classes = reader.finish({&data.train, &data.test});
  return data;
}

}  // namespace edgetwin::train
