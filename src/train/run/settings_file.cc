// The settings of a run as a file beside the description. Specification: training, 9.
#include "base/file.h"
#include "train/run/schedule_node.h"
#include "train/run/settings_files.h"

namespace edgetwin::train {
namespace {

using ai8x::YamlKind;
using ai8x::YamlNode;

constexpr int kMostItems = 65'536;

// The text of a file that a settings file names, which is taken from the folder of that file.
Result<std::string> text_beside(const YamlMap& map, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes,
                      read_file(std::filesystem::path(map.file()).parent_path() / name));
  return std::string(as_text(bytes));
}

Status read_optimizer(const YamlNode& node, const std::string& file, OptimizerOptions& o) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "`optimizer`", Rule::setting));
  std::string type = "sgd";
  EDGETWIN_TRY(map.text("type", type));
  if (type != "sgd" && type != "adam") {
    return map.error(*map.take("type"), "`type` is '" + type + "', not sgd or adam");
  }
  o.kind = type == "adam" ? OptimizerKind::adam : OptimizerKind::sgd;
  EDGETWIN_TRY(map.number("lr", o.rate, 0, 1000));
  if (o.kind == OptimizerKind::sgd) EDGETWIN_TRY(map.number("momentum", o.momentum, 0, 1));
  EDGETWIN_TRY(map.number("weight_decay", o.weight_decay, 0, 1000));
  return map.done();
}

Status read_augment_step(const YamlNode& node, YamlMap& outer, std::vector<Augmentation>& steps) {
  EDGETWIN_TRY_ASSIGN(YamlMap map,
                      YamlMap::of(node, outer.file(), "a step of `augment`", Rule::setting));
  Augmentation step;
  if (const YamlNode* flip = map.take("flip")) {
    if (flip->text != "horizontal") {
      return map.error(*flip, "`flip` knows horizontal only");
    }
    step.kind = AugmentKind::flip;
  } else if (map.take("pad_crop") != nullptr) {
    step.kind = AugmentKind::pad_crop;
    EDGETWIN_TRY(map.integer("pad_crop", step.pad, 1, 64));
  } else if (const YamlNode* affine = map.take("affine")) {
    step.kind = AugmentKind::affine;
    EDGETWIN_TRY_ASSIGN(YamlMap a, YamlMap::of(*affine, outer.file(), "`affine`", Rule::setting));
    EDGETWIN_TRY(a.number("rotate", step.rotate, 0, 180));
    EDGETWIN_TRY(a.number("shift", step.shift, 0, 1));
    EDGETWIN_TRY(a.number("shear", step.shear, 0, 80));
    EDGETWIN_TRY(a.done());
  } else if (map.take("noise") != nullptr) {
    step.kind = AugmentKind::noise;
    EDGETWIN_TRY(map.number("noise", step.sigma, 0, 255));
  }
  EDGETWIN_TRY(map.done());
  if (node.children.size() != 2) return map.error(node, "a step of `augment` has one name");
  steps.push_back(step);
  return Ok{};
}

Status read_data_map(const YamlNode& node, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "`data`", Rule::setting));
  std::string path;
  EDGETWIN_TRY(map.text("path", path));
  if (!path.empty()) settings.data = std::filesystem::path(file).parent_path() / path;
  if (const YamlNode* list = map.take("augment")) {
    if (list->kind != YamlKind::sequence) return map.error(*list, "`augment` is not a list");
    for (const YamlNode& step : list->children) {
      EDGETWIN_TRY(read_augment_step(step, map, settings.augment));
    }
  }
  return map.done();
}

Status read_links(YamlMap& map, RunSettings& settings) {
  if (const YamlNode* schedule = map.take("schedule")) {
    if (schedule->kind == YamlKind::map) {
      EDGETWIN_TRY_ASSIGN(settings.schedule, read_schedule(*schedule, map.file()));
    } else {
      EDGETWIN_TRY_ASSIGN(const std::string text, text_beside(map, schedule->text));
      EDGETWIN_TRY_ASSIGN(settings.schedule, parse_schedule(text, schedule->text));
    }
  }
  const YamlNode* qat = map.take("qat");
  if (qat == nullptr) return Ok{};
  if (qat->kind == YamlKind::map) return read_policy(*qat, map.file(), false, settings);
  if (qat->text == "none") {
    settings.qat_start.reset();
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(const std::string text, text_beside(map, qat->text));
  return apply_policy(text, qat->text, settings);
}

Status read_words(YamlMap& map, RunSettings& settings) {
  std::string norm, init;
  EDGETWIN_TRY(map.text("batch_norm", norm));
  EDGETWIN_TRY(map.text("init", init));
  if (!norm.empty()) {
    if (norm != "none" && norm != "affine" && norm != "plain") {
      return map.error(*map.take("batch_norm"),
                       "`batch_norm` is '" + norm + "', not none, affine or plain");
    }
    settings.norm = norm == "affine"  ? NormKind::affine
                    : norm == "plain" ? NormKind::plain
                                      : NormKind::none;
  }
  if (!init.empty() && init != "torch" && init != "he_fan_out") {
    return map.error(*map.take("init"), "`init` is '" + init + "', not torch or he_fan_out");
  }
  if (!init.empty()) settings.he_fan_out = init == "he_fan_out";
  std::string loss = "cross_entropy";
  EDGETWIN_TRY(map.text("loss", loss));
  if (loss == "cross_entropy") return Ok{};
  return map.error(*map.take("loss"), "`loss` is '" + loss +
                                          "': this version trains with "
                                          "cross_entropy only");
}

}  // namespace

Status apply_settings(std::string_view yaml, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(const YamlNode root, ai8x::parse_yaml(yaml, file));
  const YamlNode* node = &root;
  if (root.kind == YamlKind::map && root.children.size() == 2 && root.children[0].text == "train") {
    node = &root.children[1];
  }
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(*node, file, "`train`", Rule::setting));
  EDGETWIN_TRY(read_words(map, settings));
  EDGETWIN_TRY(map.truth("bias", settings.bias));
  EDGETWIN_TRY(map.integer("epochs", settings.epochs, 1, kMostEpochs));
  EDGETWIN_TRY(map.integer("batch", settings.batch, 1, kMostItems));
  EDGETWIN_TRY(map.number("validation", settings.validation, 0, 0.9));
  EDGETWIN_TRY(map.integer("patience", settings.patience, 1, kMostEpochs));
  int seed = 0;
  if (map.take("seed") != nullptr) {
    EDGETWIN_TRY(map.integer("seed", seed, 0, 1 << 30));
    settings.seed = static_cast<uint64_t>(seed);
  }
  if (const YamlNode* optimizer = map.take("optimizer")) {
    EDGETWIN_TRY(read_optimizer(*optimizer, file, settings.optimizer));
  }
  if (const YamlNode* data = map.take("data")) EDGETWIN_TRY(read_data_map(*data, file, settings));
  EDGETWIN_TRY(read_links(map, settings));
  return map.done();
}

}  // namespace edgetwin::train
