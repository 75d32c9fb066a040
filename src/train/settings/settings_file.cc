// The settings of a run as a file beside the description. Specification: training, 9.
#include "base/file.h"
#include "train/settings/schedule_node.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

using ai8x::YamlKind;
using ai8x::YamlNode;

constexpr int kMostItems = 65'536;
constexpr double kMostDropout = 0.95;
constexpr size_t kMostPriors = 64;  // at one place

// The text of a file that a settings file names, which is taken from the folder of that file.
Result<std::string> text_beside(const YamlMap& map, const std::string& name) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes,
                      read_file(std::filesystem::path(map.file()).parent_path() / name));
  return std::string(as_text(bytes));
}

Status read_optimizer(const YamlNode& node, const std::string& file, OptimizerOptions& o) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "`optimizer`", Rule::setting));
  std::string type = o.kind == OptimizerKind::adam ? "adam" : "sgd";
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

// Width and height of each prior, in parts of the picture.
Status read_priors(YamlMap& map, std::vector<PriorSize>& priors) {
  EDGETWIN_TRY_ASSIGN(const YamlNode* list, map.need("priors"));
  for (const YamlNode& one : list->children) {
    PriorSize size{};
    bool fits = one.kind == YamlKind::sequence && one.children.size() == size.size();
    for (size_t i = 0; fits && i < size.size(); ++i) {
      const auto value = number_of(one.children[i]);
      fits = value && *value > 0 && *value <= 1;
      if (fits) size[i] = static_cast<float>(*value);
    }
    if (!fits) {
      return map.error(one, "a prior is [width, height] in parts of the picture, above 0 to 1");
    }
    priors.push_back(size);
  }
  if (!priors.empty() && priors.size() <= kMostPriors) return Ok{};
  return map.error(*list, "`priors` is not a list of 1 to 64 sizes");
}

Status read_multibox(const YamlNode& node, const std::string& file, LossSettings& loss) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "`multibox`", Rule::setting));
  loss = LossSettings();
  loss.kind = LossKind::multibox;
  DetectorSettings& d = loss.detector;
  EDGETWIN_TRY(read_priors(map, d.priors));
  EDGETWIN_TRY(map.number("alpha", d.loss.alpha, 0, 1000));
  EDGETWIN_TRY(map.integer("neg_pos_ratio", d.loss.neg_pos_ratio, 0, 1000));
  EDGETWIN_TRY(map.number("overlap_threshold", d.loss.overlap_threshold, 0.01, 1));
  EDGETWIN_TRY(map.number("min_score", d.found.min_score, 0, 1));
  EDGETWIN_TRY(map.number("max_overlap", d.found.max_overlap, 0, 1));
  EDGETWIN_TRY(map.integer("top_k", d.found.top_k, 1, 10'000));
  return map.done();
}

// A name, or a map with one entry of that name.
Status read_loss(const YamlNode& node, YamlMap& outer, RunSettings& settings) {
  if (node.kind != YamlKind::map) {
    const std::pair<const char*, LossKind> words[] = {{"cross_entropy", LossKind::cross_entropy},
                                                      {"mse", LossKind::mse},
                                                      {"autoencoder", LossKind::autoencoder}};
    for (const auto& [word, kind] : words) {
      if (node.text != word) continue;
      settings.loss = LossSettings();
      settings.loss.kind = kind;
      return Ok{};
    }
    return outer.error(node, "`loss` is '" + node.text +
                                 "', not cross_entropy, mse, autoencoder, or a map `distil` or "
                                 "`multibox`");
  }
  EDGETWIN_TRY_ASSIGN(YamlMap one, YamlMap::of(node, outer.file(), "`loss`", Rule::setting));
  if (const YamlNode* multibox = one.take("multibox")) {
    EDGETWIN_TRY(one.done());
    return read_multibox(*multibox, outer.file(), settings.loss);
  }
  EDGETWIN_TRY_ASSIGN(const YamlNode* distil, one.need("distil"));
  EDGETWIN_TRY(one.done());
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(*distil, outer.file(), "`distil`", Rule::setting));
  LossSettings& loss = settings.loss;
  loss = LossSettings();
  loss.kind = LossKind::distillation;
  loss.distillation = {.temperature = 4, .distill_weight = 0.7, .student_weight = 0.3};
  EDGETWIN_TRY(map.need("teacher"));
  std::string teacher, description;
  EDGETWIN_TRY(map.text("teacher", teacher));
  EDGETWIN_TRY(map.text("description", description));
  const auto beside = std::filesystem::path(outer.file()).parent_path();
  loss.teacher = beside / teacher;
  if (!description.empty()) loss.teacher_description = beside / description;
  EDGETWIN_TRY(map.number("temperature", loss.distillation.temperature, 0.01, 1000));
  EDGETWIN_TRY(map.number("distill_weight", loss.distillation.distill_weight, 0, 1000));
  EDGETWIN_TRY(map.number("student_weight", loss.distillation.student_weight, 0, 1000));
  return map.done();
}

Result<std::optional<NormKind>> norm_of(YamlMap& map) {
  std::string word;
  EDGETWIN_TRY(map.text("batch_norm", word));
  if (word.empty()) return std::optional<NormKind>();
  if (word == "affine") return std::optional(NormKind::affine);
  if (word == "plain") return std::optional(NormKind::plain);
  if (word == "none") return std::optional(NormKind::none);
  return map.error(*map.take("batch_norm"),
                   "`batch_norm` is '" + word + "', not none, affine or plain");
}

// Whether new weights are drawn by the outputs.
Result<std::optional<bool>> init_of(YamlMap& map) {
  std::string init;
  EDGETWIN_TRY(map.text("init", init));
  if (init.empty()) return std::optional<bool>();
  if (init == "torch" || init == "he_fan_out") return std::optional(init == "he_fan_out");
  return map.error(*map.take("init"), "`init` is '" + init + "', not torch or he_fan_out");
}

Status read_layers(const YamlNode& node, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(const YamlMap all, YamlMap::of(node, file, "`layers`", Rule::setting));
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const std::string& name = node.children[i].text;
    EDGETWIN_TRY_ASSIGN(YamlMap map,
                        YamlMap::of(node.children[i + 1], file, "`" + name + "`", Rule::setting));
    LayerSettings layer;
    layer.place = all.error(node.children[i], "").place;
    const auto truth = [&map](const char* key, std::optional<bool>& value) -> Status {
      if (map.take(key) == nullptr) return Ok{};
      return map.truth(key, value.emplace());
    };
    EDGETWIN_TRY(truth("bias", layer.bias));
    EDGETWIN_TRY(truth("freeze", layer.freeze));
    EDGETWIN_TRY_ASSIGN(layer.norm, norm_of(map));
    EDGETWIN_TRY_ASSIGN(layer.he_fan_out, init_of(map));
    if (map.take("shift_quantile") != nullptr) {
      double quantile = 1;
      EDGETWIN_TRY(map.number("shift_quantile", quantile, 0, 1));
      layer.quantile = static_cast<float>(quantile);
    }
    if (map.take("dropout") != nullptr) {
      double dropout = 0;
      EDGETWIN_TRY(map.number("dropout", dropout, 0, kMostDropout));
      layer.dropout = static_cast<float>(dropout);
    }
    EDGETWIN_TRY(map.done());
    settings.layers[name] = layer;
  }
  return Ok{};
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
  EDGETWIN_TRY_ASSIGN(const std::optional<NormKind> norm, norm_of(map));
  settings.norm = norm.value_or(settings.norm);
  EDGETWIN_TRY_ASSIGN(const std::optional<bool> he_fan_out, init_of(map));
  settings.he_fan_out = he_fan_out.value_or(settings.he_fan_out);
  if (const YamlNode* loss = map.take("loss")) EDGETWIN_TRY(read_loss(*loss, map, settings));
  return Ok{};
}

// [C, H, W] or [C, L]
Status read_input(YamlMap& map, std::vector<int>& input) {
  const YamlNode* node = map.take("input");
  if (node == nullptr) return Ok{};
  EDGETWIN_TRY(map.integers("input", input, 1));
  if (input.size() == 2 || input.size() == 3) return Ok{};
  return map.error(*node, "`input` is not [channels, rows, columns] or [channels, length]");
}

Status read_settings(const YamlNode& node, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "`train`", Rule::setting));
  EDGETWIN_TRY(read_words(map, settings));
  EDGETWIN_TRY(map.truth("bias", settings.bias));
  EDGETWIN_TRY(map.truth("avg_pool_rounding", settings.average_rounding));
  EDGETWIN_TRY(map.number("dropout", settings.dropout, 0, kMostDropout));
  EDGETWIN_TRY(map.integer("epochs", settings.epochs, 1, kMostEpochs));
  EDGETWIN_TRY(map.integer("batch", settings.batch, 1, kMostItems));
  if (map.take("validation") != nullptr) {
    double part = 0;
    EDGETWIN_TRY(map.number("validation", part, 0, 0.9));
    settings.validation = part;
  }
  EDGETWIN_TRY(read_input(map, settings.input));
  EDGETWIN_TRY(map.integer("patience", settings.patience, 1, kMostEpochs));
  int seed = 0;
  if (map.take("seed") != nullptr) {
    EDGETWIN_TRY(map.integer("seed", seed, 0, 1 << 30));
    settings.seed = static_cast<uint64_t>(seed);
  }
  if (const YamlNode* optimizer = map.take("optimizer")) {
    EDGETWIN_TRY(read_optimizer(*optimizer, file, settings.optimizer));
  }
  if (const YamlNode* data = map.take("data"))
    EDGETWIN_TRY(read_data_settings(*data, file, settings));
  if (const YamlNode* layers = map.take("layers")) {
    EDGETWIN_TRY(read_layers(*layers, file, settings));
  }
  EDGETWIN_TRY(read_links(map, settings));
  return map.done();
}

// The value of the key `train`, where the root is a map that has it.
const YamlNode* train_of(const YamlNode& root) {
  if (root.kind != YamlKind::map) return nullptr;
  for (size_t i = 0; i + 1 < root.children.size(); i += 2) {
    if (root.children[i].text == "train") return &root.children[i + 1];
  }
  return nullptr;
}

}  // namespace

Status apply_settings(std::string_view yaml, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(const YamlNode root, ai8x::parse_yaml(yaml, file));
  const YamlNode* whole = root.children.size() == 2 ? train_of(root) : nullptr;
  return read_settings(whole != nullptr ? *whole : root, file, settings);
}

Result<bool> apply_description(std::string_view yaml, const std::string& file,
                               RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(const YamlNode root, ai8x::parse_yaml(yaml, file));
  const YamlNode* own = train_of(root);
  if (own == nullptr) return false;
  EDGETWIN_TRY(read_settings(*own, file, settings));
  return true;
}

Status find_settings(const std::filesystem::path& network, const std::filesystem::path& settings,
                     RunSettings& to) {
  bool inside = false;
  if (network.extension() != ".onnx") {
    EDGETWIN_TRY_ASSIGN(const Bytes description, read_file(network));
    EDGETWIN_TRY_ASSIGN(inside, apply_description(as_text(description), network.string(), to));
  }
  std::filesystem::path file = settings;
  std::error_code failed;
  if (file.empty()) {
    file = std::filesystem::path(network).replace_extension(".train.yaml");
    if (!std::filesystem::exists(file, failed)) return Ok{};
    if (inside) {
      return broken(Rule::conflict, "both the description and a file beside it have settings")
          .in_file(network.string())
          .detail("the file: " + file.string())
          .detail("--train FILE says which file counts over the description");
    }
  }
  EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(file));
  return apply_settings(as_text(text), file.string(), to);
}

Status apply_setting(std::string_view assignment, RunSettings& settings) {
  const size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return broken(Rule::setting, "--set has '" + std::string(assignment) + "', not KEY=VALUE");
  }
  // optimizer.lr=0.05 becomes {optimizer: {lr: 0.05}}.
  std::string text = "{", closing = "}";
  for (const char c : assignment.substr(0, equals)) {
    if (c == '.') {
      text += ": {";
      closing += "}";
    } else {
      text += c;
    }
  }
  text += ": " + std::string(assignment.substr(equals + 1)) + closing + "\n";
  // A path beside the working folder, as on the command line.
  return apply_settings(text, "--set", settings);
}

}  // namespace edgetwin::train
