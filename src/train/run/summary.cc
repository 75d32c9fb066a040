#include "train/run/summary.h"

#include <algorithm>
#include <cstdio>

namespace edgetwin::train {
namespace {

constexpr double kLargeRate = 0.5;

// Data that were not moved to the middle of the chip's range.
std::string range_warning(const DataSet& set) {
  const auto is_below = [](uint8_t byte) { return byte < 128; };
  const auto is_other = [&](uint8_t byte) { return byte != set.bytes.front(); };
  // Mostly the first bytes tell.
  if (std::any_of(set.bytes.begin(), set.bytes.end(), is_below)) return "";
  if (std::none_of(set.bytes.begin(), set.bytes.end(), is_other)) return "";
  return "Warning: no input of a training item is below 0: the data are not centred, half of the "
         "chip's range is not used\n";
}

}  // namespace

std::string shape_text(int channels, int height, int width) {
  return std::to_string(channels) + "x" + std::to_string(height) + "x" + std::to_string(width);
}

std::string summary_of(const RunSettings& settings, const Setup& setup) {
  const PictureSize in = setup.data.train.input();
  std::string text = "Data: " + setup.data.format + ", items of " +
                     shape_text(in.channels, in.height, in.width) + "; " +
                     std::to_string(setup.training.size()) + " training, " +
                     std::to_string(setup.validation.size()) + " validation, " +
                     std::to_string(setup.data.test.items()) + " test items\n";
  for (const std::string& remark : setup.data.remarks) text += "  " + remark + "\n";
  if (setup.validation.empty()) text += "Warning: the test items validate\n";
  text += range_warning(setup.data.train);
  if (settings.optimizer.kind == OptimizerKind::sgd && settings.optimizer.rate > kLargeRate) {
    text += "Warning: a learning rate above 0.5 is unusual for sgd\n";
  }
  const bool boxes = setup.data.train.kind == TargetKind::boxes;
  if ((setup.data.train.kind != TargetKind::classes && !boxes) || setup.data.classes.empty()) {
    return text;
  }
  std::vector<int64_t> counts(setup.data.classes.size());
  for (const int64_t label : setup.data.train.labels) ++counts[static_cast<size_t>(label)];
  for (const ItemBoxes& item : setup.data.train.boxes) {
    for (const int64_t label : item.labels) ++counts[static_cast<size_t>(label)];
  }
  text += boxes ? "Objects:" : "Classes:";
  for (size_t c = 0; c < counts.size(); ++c) {
    text += " " + setup.data.classes[c] + " " + std::to_string(counts[c]) +
            (c + 1 < counts.size() ? "," : "\n");
  }
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (*least == 0) {
    text += "Warning: class " + setup.data.classes[static_cast<size_t>(least - counts.begin())] +
            " has no training " + (boxes ? "objects\n" : "items\n");
  } else if (*most > 10 * *least) {
    text += "Warning: the largest class has more than ten times the items of the smallest\n";
  }
  return text;
}

std::string layers_text(const Model& model) {
  std::string text;
  int64_t parameters = 0;
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    const NetworkLayer& l = model.network.layers[i];
    const auto own =
        static_cast<int64_t>(model.parameters[i].weights.size() + model.parameters[i].bias.size());
    parameters += own;
    char line[256];
    std::snprintf(line, sizeof line, "  %-12s %12s -> %-12s %8lld parameters\n", l.name.c_str(),
                  shape_text(l.input.c, l.input.size.h, l.input.size.w).c_str(),
                  shape_text(l.output.c, l.output.size.h, l.output.size.w).c_str(),
                  static_cast<long long>(own));
    text += line;
  }
  return text + std::to_string(parameters) + " parameters, " +
         std::to_string(model.network.products()) + " products per item\n";
}

double estimated_seconds(const Setup& setup) {
  // Forward and backward, of the vendor's MNIST network with AVX2: docs/training.md.
  constexpr double kProductsASecond = 4e9;
  return static_cast<double>(setup.model.network.products()) *
         static_cast<double>(setup.training.size()) / kProductsASecond;
}

}  // namespace edgetwin::train
