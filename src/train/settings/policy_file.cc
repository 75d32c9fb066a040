// Policy files of the vendor's program: from which epoch on quantization takes part, with how many
// bits.
#include "train/settings/schedule_node.h"
#include "train/settings/settings_files.h"

namespace edgetwin::train {
namespace {

using ai8x::YamlNode;

constexpr double kLargestOutlierScore = 1000;

Status check_bits(const YamlMap& map, const YamlNode& at, int bits) {
  if (bits == 1 || bits == 2 || bits == 4 || bits == 8) return Ok{};
  Error e = broken(Rule::bits, "`weight_bits` is " + std::to_string(bits) + ", not 1, 2, 4 or 8");
  e.place = map.error(at, "").place;
  return e;
}

Status read_bits(YamlMap& map, std::optional<int>& bits) {
  EDGETWIN_TRY(map.integer("weight_bits", bits, 1, 1000));
  const YamlNode* at = map.take("weight_bits");
  return at == nullptr ? Status(Ok{}) : check_bits(map, *at, *bits);
}

Status read_quantile(YamlMap& map, std::optional<float>& quantile) {
  if (map.take("shift_quantile") == nullptr) return Ok{};
  double value = 1;
  EDGETWIN_TRY(map.number("shift_quantile", value, 0, 1));
  quantile = static_cast<float>(value);
  return Ok{};
}

Status read_method(YamlMap& map, QuantizationMethod& method) {
  std::string word;
  EDGETWIN_TRY(map.text("method", word));
  if (word.empty()) return Ok{};
  for (const auto kind : {QuantizationMethod::shifts, QuantizationMethod::thresholds}) {
    if (word != method_name(kind)) continue;
    method = kind;
    return Ok{};
  }
  return map.error(*map.take("method"), "`method` is '" + word + "', not shifts or thresholds");
}

Status read_overrides(const YamlNode& node, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(const YamlMap all, YamlMap::of(node, file, "`overrides`", Rule::schedule));
  for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
    const std::string& name = node.children[i].text;
    EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node.children[i + 1], file,
                                                 "the override of `" + name + "`", Rule::schedule));
    LayerOverride o;
    o.place = all.error(node.children[i], "").place;
    EDGETWIN_TRY(read_bits(map, o.bits));
    EDGETWIN_TRY(read_quantile(map, o.quantile));
    EDGETWIN_TRY(map.done());
    settings.overrides[name] = o;
  }
  return Ok{};
}

}  // namespace

Status read_policy(const YamlNode& node, const std::string& file, bool whole,
                   RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(YamlMap map, YamlMap::of(node, file, "the policy", Rule::schedule));
  if (whole) {
    EDGETWIN_TRY(map.need("start_epoch"));
    EDGETWIN_TRY(map.need("weight_bits"));
  }
  EDGETWIN_TRY(map.integer("start_epoch", settings.qat_start, 0, kMostEpochs));
  EDGETWIN_TRY(read_bits(map, settings.weight_bits));
  std::optional<float> quantile;
  EDGETWIN_TRY(read_quantile(map, quantile));
  settings.shift_quantile = quantile.value_or(settings.shift_quantile);
  if (const YamlNode* overrides = map.take("overrides")) {
    EDGETWIN_TRY(read_overrides(*overrides, file, settings));
  }
  EDGETWIN_TRY(read_method(map, settings.qat_method));
  if (map.take("outlier_removal_z_score") != nullptr) {
    double z = 0;
    EDGETWIN_TRY(map.number("outlier_removal_z_score", z, 0.01, kLargestOutlierScore));
    settings.outlier_score = static_cast<float>(z);
  }
  return map.done();
}

Status apply_policy(std::string_view yaml, const std::string& file, RunSettings& settings) {
  EDGETWIN_TRY_ASSIGN(const YamlNode root, ai8x::parse_yaml(yaml, file));
  return read_policy(root, file, true, settings);
}

}  // namespace edgetwin::train
