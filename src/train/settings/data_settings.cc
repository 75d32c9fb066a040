// The map `data` of a settings file: where the data are, how they become inputs, how copies are
// changed. Specification: training, 9, 10.
#include "train/settings/schedule_node.h"

namespace edgetwin::train {
namespace {

using ai8x::YamlKind;
using ai8x::YamlNode;

// [low, high]
Status read_range(YamlMap& map, const std::string& key, double least, double most, double& low,
                  double& high) {
  const YamlNode* node = map.take(key);
  if (node == nullptr) return Ok{};
  std::vector<double> values;
  EDGETWIN_TRY(map.numbers(key, values));
  const bool fits =
      values.size() == 2 && values[0] >= least && values[1] <= most && values[0] <= values[1];
  if (!fits) {
    char text[96];
    std::snprintf(text, sizeof text, "` is not [low, high] within %g to %g", least, most);
    return map.error(*node, "`" + key + text);
  }
  low = values[0];
  high = values[1];
  return Ok{};
}

Status read_affine(YamlMap& map, Augmentation& step) {
  step.kind = AugmentKind::affine;
  EDGETWIN_TRY(map.number("rotate", step.rotate, 0, 180));
  EDGETWIN_TRY(map.number("shift", step.shift, 0, 1));
  EDGETWIN_TRY(map.number("shear", step.shear, 0, 80));
  return read_range(map, "scale", 0.1, 10, step.low, step.high);
}

// Rows and columns: [h, w], or one number for both; nothing where the key is not there.
Status read_size(YamlMap& map, const std::string& key, int& height, int& width) {
  const YamlNode* node = map.take(key);
  if (node == nullptr) return Ok{};
  if (node->kind != YamlKind::sequence) {
    EDGETWIN_TRY(map.integer(key, height, 1, 4096));
    width = height;
    return Ok{};
  }
  std::vector<int> sizes;
  EDGETWIN_TRY(map.integers(key, sizes, 1));
  if (sizes.size() != 2 || sizes[0] > 4096 || sizes[1] > 4096) {
    return map.error(*node, "`" + key + "` is not [rows, columns] of at most 4096");
  }
  height = sizes[0];
  width = sizes[1];
  return Ok{};
}

Status read_crop(YamlMap& map, Augmentation& step) {
  step.kind = AugmentKind::resized_crop;
  EDGETWIN_TRY(read_size(map, "size", step.height, step.width));
  EDGETWIN_TRY(read_range(map, "area", 0.001, 1, step.least_area, step.most_area));
  return read_range(map, "aspect", 0.05, 20, step.least_aspect, step.most_aspect);
}

Status read_colour(YamlMap& map, Augmentation& step) {
  step.kind = AugmentKind::colour;
  EDGETWIN_TRY(map.number("brightness", step.brightness, 0, 1));
  EDGETWIN_TRY(map.number("contrast", step.contrast, 0, 1));
  return map.number("saturation", step.saturation, 0, 1);
}

Status read_erase(YamlMap& map, Augmentation& step) {
  step.kind = AugmentKind::erase;
  step.probability = 0.5;
  step.least_area = 0.02;
  step.most_area = 0.33;
  EDGETWIN_TRY(map.number("probability", step.probability, 0, 1));
  return read_range(map, "area", 0.001, 0.9, step.least_area, step.most_area);
}

Status read_white(YamlMap& map, Augmentation& step) {
  step.kind = AugmentKind::white_noise;
  EDGETWIN_TRY(map.need("snr"));
  return read_range(map, "snr", -60, 120, step.low, step.high);
}

Status read_recorded(YamlMap& map, Augmentation& step) {
  step.kind = AugmentKind::recorded_noise;
  EDGETWIN_TRY(map.need("folder"));
  EDGETWIN_TRY(map.text("folder", step.folder));
  step.folder = (std::filesystem::path(map.file()).parent_path() / step.folder).string();
  EDGETWIN_TRY(map.number("probability", step.probability, 0, 1));
  EDGETWIN_TRY(map.need("snr"));
  EDGETWIN_TRY(read_range(map, "snr", -60, 120, step.low, step.high));
  EDGETWIN_TRY_ASSIGN(Recordings recordings, read_recordings(step.folder));
  step.recordings = std::make_shared<const Recordings>(std::move(recordings));
  return Ok{};
}

// The steps that have a map of their own.
constexpr std::pair<const char*, Status (*)(YamlMap&, Augmentation&)> kMaps[] = {
    {"affine", read_affine}, {"random_resized_crop", read_crop}, {"colour", read_colour},
    {"erase", read_erase},   {"white_noise", read_white},        {"recorded_noise", read_recorded}};

Status read_simple(YamlMap& map, Augmentation& step) {
  if (const YamlNode* flip = map.take("flip")) {
    if (flip->text != "horizontal") return map.error(*flip, "`flip` knows horizontal only");
    step.kind = AugmentKind::flip;
  } else if (map.take("pad_crop") != nullptr) {
    step.kind = AugmentKind::pad_crop;
    return map.integer("pad_crop", step.pad, 1, 64);
  } else if (map.take("random_crop") != nullptr) {
    step.kind = AugmentKind::random_crop;
    return read_size(map, "random_crop", step.height, step.width);
  } else if (map.take("centre_crop") != nullptr) {
    step.kind = AugmentKind::centre_crop;
    return read_size(map, "centre_crop", step.height, step.width);
  } else if (map.take("noise") != nullptr) {
    step.kind = AugmentKind::noise;
    return map.number("noise", step.sigma, 0, 255);
  } else if (map.take("shift") != nullptr) {
    step.kind = AugmentKind::sound_shift;
    return map.number("shift", step.shift, 0, 1);
  } else if (map.take("speed") != nullptr) {
    step.kind = AugmentKind::speed;
    return read_range(map, "speed", 0.25, 4, step.low, step.high);
  }
  return Ok{};
}

Status read_step(const YamlNode& node, YamlMap& outer, std::vector<Augmentation>& steps) {
  EDGETWIN_TRY_ASSIGN(YamlMap map,
                      YamlMap::of(node, outer.file(), "a step of `augment`", Rule::setting));
  Augmentation step;
  for (const auto& [key, read] : kMaps) {
    const YamlNode* own = map.take(key);
    if (own == nullptr) continue;
    EDGETWIN_TRY_ASSIGN(YamlMap inner, YamlMap::of(*own, outer.file(), "`" + std::string(key) + "`",
                                                   Rule::setting));
    EDGETWIN_TRY(read(inner, step));
    EDGETWIN_TRY(inner.done());
  }
  EDGETWIN_TRY(read_simple(map, step));
  EDGETWIN_TRY(map.done());
  if (node.children.size() != 2) return map.error(node, "a step of `augment` has one name");
  steps.push_back(step);
  return Ok{};
}

// Percent that train, validate and test.
Status read_split(YamlMap& map, Shares& shares) {
  const YamlNode* node = map.take("split");
  if (node == nullptr) return Ok{};
  std::vector<int> values;
  EDGETWIN_TRY(map.integers("split", values, 0));
  const bool fits = values.size() == 3 && values[0] > 0 && values[2] > 0 &&
                    values[0] + values[1] + values[2] == 100;
  if (!fits) {
    return map.error(*node, "`split` is not [training, validation, test] in percent, 100 together");
  }
  std::copy(values.begin(), values.end(), shares.begin());
  return Ok{};
}

Status read_names(YamlMap& map, std::vector<std::string>& names) {
  const YamlNode* node = map.take("classes");
  if (node == nullptr) return Ok{};
  if (node->kind != YamlKind::sequence) return map.error(*node, "`classes` is not a list of names");
  names.clear();
  for (const YamlNode& child : node->children) {
    if (child.kind != YamlKind::scalar) return map.error(child, "a class is not a name");
    names.push_back(child.text);
  }
  return Ok{};
}

Status read_weights(YamlMap& outer, RunSettings& settings) {
  const YamlNode* node = outer.take("class_weights");
  if (node == nullptr) return Ok{};
  EDGETWIN_TRY_ASSIGN(YamlMap map,
                      YamlMap::of(*node, outer.file(), "`class_weights`", Rule::setting));
  for (size_t i = 0; i + 1 < node->children.size(); i += 2) {
    double weight = 1;
    EDGETWIN_TRY(map.number(node->children[i].text, weight, 0, 1e6));
    settings.class_weights[node->children[i].text] = weight;
  }
  return Ok{};
}

Status read_format(YamlMap& map, DataOptions& options) {
  const YamlNode* node = map.take("format");
  if (node == nullptr) return Ok{};
  EDGETWIN_TRY(map.text("format", options.format));
  for (const std::string& known : kDataFormats) {
    if (options.format == known) return Ok{};
  }
  return map.error(*node, "`format` is '" + options.format +
                              "', not idx, cifar, pictures, masks, boxes, npz, csv or sounds");
}

Status read_normalise(YamlMap& map, DataOptions& options) {
  std::string word;
  EDGETWIN_TRY(map.text("normalise", word));
  if (word.empty()) return Ok{};
  for (const auto kind : {Normalisation::centered, Normalisation::vendor}) {
    if (word != normalisation_name(kind)) continue;
    options.normalisation = kind;
    return Ok{};
  }
  return map.error(*map.take("normalise"), "`normalise` is '" + word + "', not centered or vendor");
}

}  // namespace

Status read_data_settings(const YamlNode& node, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "`data`", Rule::setting));
  std::string path;
  EDGETWIN_TRY(map.text("path", path));
  if (!path.empty()) settings.data = std::filesystem::path(file).parent_path() / path;
  DataOptions& options = settings.data_options;
  EDGETWIN_TRY(read_format(map, options));
  EDGETWIN_TRY(read_normalise(map, options));
  EDGETWIN_TRY(map.integer("fold", options.fold, 1, 16));
  EDGETWIN_TRY(map.integer("window", options.window, 1, 65536));
  EDGETWIN_TRY(map.integer("hop", options.hop, 1, 65536));
  EDGETWIN_TRY(read_size(map, "resize", options.height, options.width));
  EDGETWIN_TRY(read_split(map, options.split));
  EDGETWIN_TRY(read_names(map, options.classes));
  EDGETWIN_TRY(read_weights(map, settings));
  const YamlNode* list = map.take("augment");
  EDGETWIN_TRY(map.done());
  if (list == nullptr) return Ok{};
  if (list->kind != YamlKind::sequence) return map.error(*list, "`augment` is not a list");
  settings.augment.clear();
  for (const YamlNode& step : list->children) {
    // Of all items, before anything else: as the key `resize` of `data`.
    const bool resize = step.children.size() == 2 && step.children[0].text == "resize";
    if (resize && &step == &list->children.front()) {
      EDGETWIN_TRY_ASSIGN(YamlMap own, YamlMap::of(step, file, "`resize`", Rule::setting));
      EDGETWIN_TRY(read_size(own, "resize", options.height, options.width));
    } else if (resize) {
      return map.error(step, "`resize` is the first step of `augment`, or a key of `data`");
    } else {
      EDGETWIN_TRY(read_step(step, map, settings.augment));
    }
  }
  return Ok{};
}

}  // namespace edgetwin::train
