// The settings of a run as a file that `train --train` reads again.
#include <charconv>

#include "train/settings/settings_files.h"
#include "train/settings/yaml_map.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

std::string written(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string whole(const fs::path& path) {
  return quoted(fs::absolute(path).lexically_normal().string());
}

template <class Values, class Text>
std::string list_of(const Values& values, const Text& text) {
  std::string result = "[";
  for (const auto& v : values) result += (result.size() > 1 ? ", " : "") + text(v);
  return result + "]";
}

std::string range(double low, double high) {
  return "[" + written(low) + ", " + written(high) + "]";
}

std::string word_of(NormKind kind) {
  return kind == NormKind::affine ? "affine" : kind == NormKind::plain ? "plain" : "none";
}

std::string size_of(const Augmentation& a) {
  return "[" + std::to_string(a.height) + ", " + std::to_string(a.width) + "]";
}

std::string step_text(const Augmentation& a) {
  switch (a.kind) {
    case AugmentKind::pad_crop:
      return "pad_crop: " + std::to_string(a.pad);
    case AugmentKind::flip:
      return "flip: horizontal";
    case AugmentKind::affine:
      return "affine: {rotate: " + written(a.rotate) + ", shift: " + written(a.shift) +
             ", shear: " + written(a.shear) + ", scale: " + range(a.low, a.high) + "}";
    case AugmentKind::noise:
      return "noise: " + written(a.sigma);
    case AugmentKind::resized_crop:
      return "random_resized_crop: {" +
             (a.height > 0 ? "size: " + size_of(a) + ", " : std::string()) +
             "area: " + range(a.least_area, a.most_area) +
             ", aspect: " + range(a.least_aspect, a.most_aspect) + "}";
    case AugmentKind::random_crop:
      return "random_crop: " + size_of(a);
    case AugmentKind::centre_crop:
      return "centre_crop: " + size_of(a);
    case AugmentKind::colour:
      return "colour: {brightness: " + written(a.brightness) +
             ", contrast: " + written(a.contrast) + ", saturation: " + written(a.saturation) + "}";
    case AugmentKind::erase:
      return "erase: {probability: " + written(a.probability) +
             ", area: " + range(a.least_area, a.most_area) + "}";
    case AugmentKind::sound_shift:
      return "shift: " + written(a.shift);
    case AugmentKind::speed:
      return "speed: " + range(a.low, a.high);
    case AugmentKind::white_noise:
      return "white_noise: {snr: " + range(a.low, a.high) + "}";
    case AugmentKind::recorded_noise:
      return "recorded_noise: {folder: " + whole(a.folder) +
             ", probability: " + written(a.probability) + ", snr: " + range(a.low, a.high) + "}";
  }
  return "";
}

std::string scheduler_arguments(const Scheduler& s) {
  const auto integer = [](int n) { return std::to_string(n); };
  switch (s.kind) {
    case SchedulerKind::multi_step:
      return "milestones: " + list_of(s.milestones, integer) + ", gamma: " + written(s.gamma);
    case SchedulerKind::multi_gamma:
      return "milestones: " + list_of(s.milestones, integer) +
             ", gammas: " + list_of(s.gammas, written);
    case SchedulerKind::step:
      return "step_size: " + integer(s.step_size) + ", gamma: " + written(s.gamma);
    case SchedulerKind::exponential:
      return "gamma: " + written(s.gamma);
    case SchedulerKind::cosine:
      return "T_max: " + integer(s.t_max) + ", eta_min: " + written(s.eta_min);
    case SchedulerKind::polynomial:
      return "T_max: " + integer(s.t_max) + ", power: " + written(s.exponent);
    case SchedulerKind::plateau:
      return "factor: " + written(s.factor) + ", patience: " + integer(s.patience) +
             ", threshold: " + written(s.threshold);
  }
  return "";
}

std::string schedule_lines(const SchedulePolicy& p) {
  std::string text = "  schedule:\n    lr_schedulers:\n      rate: {class: " +
                     std::string(class_name(p.scheduler.kind)) + ", " +
                     scheduler_arguments(p.scheduler) +
                     "}\n    policies:\n      - lr_scheduler: {instance_name: rate}\n";
  if (!p.epochs.empty()) {
    return text + "        epochs: " + list_of(p.epochs, [](int n) { return std::to_string(n); }) +
           "\n";
  }
  text += "        starting_epoch: " + std::to_string(p.starting_epoch) + "\n";
  if (p.ending_epoch < kMostEpochs) {
    text += "        ending_epoch: " + std::to_string(p.ending_epoch) + "\n";
  }
  return text + "        frequency: " + std::to_string(p.frequency) + "\n";
}

std::string qat_lines(const RunSettings& s) {
  if (!s.qat_start) return "  qat: none\n";
  std::string text = "  qat:\n    start_epoch: " + std::to_string(*s.qat_start) + "\n";
  if (s.weight_bits) text += "    weight_bits: " + std::to_string(*s.weight_bits) + "\n";
  text += "    shift_quantile: " + written(static_cast<double>(s.shift_quantile)) + "\n";
  if (s.qat_method != QuantizationMethod::shifts) {
    text += "    method: " + std::string(method_name(s.qat_method)) + "\n";
  }
  if (s.outlier_score) {
    text += "    outlier_removal_z_score: " + written(static_cast<double>(*s.outlier_score)) + "\n";
  }
  if (s.overrides.empty()) return text;
  text += "    overrides:\n";
  for (const auto& [name, o] : s.overrides) {
    std::string own;
    if (o.bits) own += "weight_bits: " + std::to_string(*o.bits);
    if (o.quantile) {
      own += (own.empty() ? "" : ", ") +
             ("shift_quantile: " + written(static_cast<double>(*o.quantile)));
    }
    text += "      " + quoted(name) + ": {" + own + "}\n";
  }
  return text;
}

std::string multibox_line(const DetectorSettings& d) {
  const auto size = [](const PriorSize& s) {
    return range(static_cast<double>(s[0]), static_cast<double>(s[1]));
  };
  return "  loss: {multibox: {priors: " + list_of(d.priors, size) +
         ", alpha: " + written(d.loss.alpha) +
         ", neg_pos_ratio: " + std::to_string(d.loss.neg_pos_ratio) +
         ", overlap_threshold: " + written(d.loss.overlap_threshold) +
         ", min_score: " + written(d.found.min_score) +
         ", max_overlap: " + written(d.found.max_overlap) +
         ", top_k: " + std::to_string(d.found.top_k) + "}}\n";
}

std::string loss_line(const LossSettings& loss) {
  switch (loss.kind) {
    case LossKind::cross_entropy:
      return "  loss: cross_entropy\n";
    case LossKind::mse:
      return "  loss: mse\n";
    case LossKind::autoencoder:
      return "  loss: autoencoder\n";
    case LossKind::multibox:
      return multibox_line(loss.detector);
    case LossKind::distillation:
      break;
  }
  const DistillationOptions& d = loss.distillation;
  std::string text = "  loss: {distil: {teacher: " + whole(loss.teacher);
  if (!loss.teacher_description.empty())
    text += ", description: " + whole(loss.teacher_description);
  return text + ", temperature: " + written(d.temperature) +
         ", distill_weight: " + written(d.distill_weight) +
         ", student_weight: " + written(d.student_weight) + "}}\n";
}

std::string layer_lines(const std::map<std::string, LayerSettings>& layers) {
  std::string text = layers.empty() ? "" : "  layers:\n";
  for (const auto& [name, l] : layers) {
    std::string own;
    const auto put = [&own](const std::string& entry) { own += (own.empty() ? "" : ", ") + entry; };
    if (l.bias) put(std::string("bias: ") + (*l.bias ? "true" : "false"));
    if (l.freeze) put(std::string("freeze: ") + (*l.freeze ? "true" : "false"));
    if (l.he_fan_out) put(std::string("init: ") + (*l.he_fan_out ? "he_fan_out" : "torch"));
    if (l.norm) put("batch_norm: " + word_of(*l.norm));
    if (l.quantile) put("shift_quantile: " + written(static_cast<double>(*l.quantile)));
    if (l.dropout) put("dropout: " + written(static_cast<double>(*l.dropout)));
    text += "    " + quoted(name) + ": {" + own + "}\n";
  }
  return text;
}

std::string data_lines(const RunSettings& s) {
  const DataOptions& o = s.data_options;
  std::string text = "  data:\n";
  if (!s.data.empty()) text += "    path: " + whole(s.data) + "\n";
  text += std::string("    normalise: ") + std::string(normalisation_name(o.normalisation)) +
          "\n    fold: " + std::to_string(o.fold) + "\n";
  if (!o.format.empty()) text += "    format: " + o.format + "\n";
  if (o.window > 0) text += "    window: " + std::to_string(o.window) + "\n";
  if (o.hop > 0) text += "    hop: " + std::to_string(o.hop) + "\n";
  if (o.height > 0) {
    text += "    resize: [" + std::to_string(o.height) + ", " + std::to_string(o.width) + "]\n";
  }
  if (o.split != kUsualShares) {
    text += "    split: " + list_of(o.split, [](int n) { return std::to_string(n); }) + "\n";
  }
  if (!o.classes.empty()) text += "    classes: " + list_of(o.classes, quoted) + "\n";
  if (!s.class_weights.empty()) text += "    class_weights:\n";
  for (const auto& [name, weight] : s.class_weights) {
    text += "      " + quoted(name) + ": " + written(weight) + "\n";
  }
  if (!s.augment.empty()) text += "    augment:\n";
  for (const Augmentation& a : s.augment) text += "      - " + step_text(a) + "\n";
  return text;
}

std::string optimizer_line(const OptimizerOptions& o) {
  const bool adam = o.kind == OptimizerKind::adam;
  return std::string("  optimizer: {type: ") + (adam ? "adam" : "sgd") +
         ", lr: " + written(o.rate) + (adam ? "" : ", momentum: " + written(o.momentum)) +
         ", weight_decay: " + written(o.weight_decay) + "}\n";
}

}  // namespace

std::string settings_text(const RunSettings& s) {
  std::string text = "train:\n" + optimizer_line(s.optimizer);
  text += "  epochs: " + std::to_string(s.epochs) + "\n  batch: " + std::to_string(s.batch) + "\n";
  text += "  batch_norm: " + word_of(s.norm) + "\n  bias: " + (s.bias ? "true" : "false") + "\n";
  text += std::string("  avg_pool_rounding: ") + (s.average_rounding ? "true" : "false") + "\n";
  text += "  dropout: " + written(s.dropout) + "\n";
  text += std::string("  init: ") + (s.he_fan_out ? "he_fan_out" : "torch") + "\n";
  if (s.validation) text += "  validation: " + written(*s.validation) + "\n";
  text += "  seed: " + std::to_string(s.seed) + "\n";
  if (s.patience) text += "  patience: " + std::to_string(*s.patience) + "\n";
  if (!s.input.empty()) {
    text += "  input: " + list_of(s.input, [](int n) { return std::to_string(n); }) + "\n";
  }
  text += loss_line(s.loss);
  if (s.schedule) text += schedule_lines(*s.schedule);
  return text + qat_lines(s) + layer_lines(s.layers) + data_lines(s);
}

}  // namespace edgetwin::train
