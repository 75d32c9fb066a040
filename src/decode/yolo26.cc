#include "decode/yolo26.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "decode/coco.h"

namespace edgetwin::decode {
namespace {

constexpr int kMaxBoxes = 100'000;
constexpr int kMaxSide = 1 << 16;
constexpr size_t kMaxMaps = 32;
constexpr int64_t kSides = 4;

Error refused(std::string what, const std::string& tensor = {}) {
  return Error(ErrorCode::decode_maps, std::move(what)).in_field(tensor);
}

// One output: H x W x depth.
struct Map {
  const Tensor* tensor = nullptr;
  int64_t height = 0, width = 0, depth = 0;

  double value(int64_t cell, int64_t channel) const {
    const double q = element_as_double(tensor->dtype, tensor->data, cell * depth + channel);
    return tensor->quant.exponent.empty() ? q : std::ldexp(q, tensor->quant.exponent[0]);
  }
};

struct Scale {
  Map boxes, classes;
  double stride_x = 0.0, stride_y = 0.0;
};

Result<Map> map_of(const Tensor& tensor) {
  const bool integer = integer_range(tensor.dtype).has_value() && byte_size(tensor.dtype) > 0;
  const bool exponent =
      tensor.quant.scheme == Quant::Scheme::power_of_two && tensor.quant.exponent.size() == 1;
  if (!(integer && exponent) && tensor.dtype != DType::float32) {
    return refused("a map is neither float32 nor of integers with one exponent", tensor.name);
  }
  const Shape& shape = tensor.shape;
  const bool batch = shape.rank() == 4 && shape[0] == 1;
  if ((shape.rank() != 3 && !batch) || !within_limits(tensor.dtype, shape) ||
      shape.elements() == 0 ||
      static_cast<int64_t>(tensor.data.size()) != storage_bytes(tensor.dtype, shape.elements())) {
    return refused("shape " + to_string(shape) + " is not height x width x numbers", tensor.name);
  }
  return Map{&tensor, shape.back(2), shape.back(1), shape.back(0)};
}

bool says(const Map& map, std::initializer_list<std::string_view> words) {
  std::string name = map.tensor->name;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

// Which of two maps of one size has the boxes.
Result<Scale> pair_up(const Map& a, const Map& b) {
  const auto as = [](const Map& boxes, const Map& classes) {
    Scale scale;
    scale.boxes = boxes;
    scale.classes = classes;
    return scale;
  };
  if (a.depth == kSides && b.depth != kSides) return as(a, b);
  if (b.depth == kSides && a.depth != kSides) return as(b, a);
  const bool a_boxes = a.depth == kSides && says(a, {"box", "reg"});
  const bool b_boxes = b.depth == kSides && says(b, {"box", "reg"});
  if (a_boxes && !b_boxes && says(b, {"cls", "class", "score"})) return as(a, b);
  if (b_boxes && !a_boxes && says(a, {"cls", "class", "score"})) return as(b, a);
  return refused("which of '" + a.tensor->name + "' and '" + b.tensor->name +
                     "' has the boxes cannot be told from their shapes and names",
                 a.tensor->name);
}

Status set_stride(Scale& scale, const Yolo26Options& options) {
  const Map& map = scale.boxes;
  if (options.input_width % map.width != 0 || options.input_height % map.height != 0) {
    return refused("an input of " + std::to_string(options.input_width) + " x " +
                       std::to_string(options.input_height) + " is not a multiple of a map of " +
                       std::to_string(map.width) + " x " + std::to_string(map.height),
                   map.tensor->name);
  }
  const auto stride_x = options.input_width / map.width;
  const auto stride_y = options.input_height / map.height;
  scale.stride_x = static_cast<double>(stride_x);
  scale.stride_y = static_cast<double>(stride_y);
  return Ok{};
}

// Largest map first.
Result<std::vector<Scale>> scales_of(std::span<const Tensor> tensors,
                                     const Yolo26Options& options) {
  if (tensors.empty() || tensors.size() > kMaxMaps || tensors.size() % 2 != 0) {
    return refused("there are " + std::to_string(tensors.size()) +
                   " tensors; each scale has two, one with boxes and one with classes");
  }
  std::vector<Map> maps;
  for (const Tensor& tensor : tensors) {
    EDGETWIN_TRY_ASSIGN(Map map, map_of(tensor));
    maps.push_back(map);
  }
  const auto size = [](const Map& map) { return std::tuple(-map.height, -map.width); };
  std::stable_sort(maps.begin(), maps.end(),
                   [&](const Map& a, const Map& b) { return size(a) < size(b); });
  std::vector<Scale> scales;
  for (size_t i = 0; i < maps.size(); i += 2) {
    const bool third = i + 2 < maps.size() && size(maps[i + 2]) == size(maps[i]);
    if (size(maps[i]) != size(maps[i + 1]) || third) {
      return refused("a scale must have exactly one map of boxes and one of classes",
                     maps[i].tensor->name);
    }
    EDGETWIN_TRY_ASSIGN(Scale scale, pair_up(maps[i], maps[i + 1]));
    EDGETWIN_TRY(set_stride(scale, options));
    if (!scales.empty() && scales[0].classes.depth != scale.classes.depth) {
      return refused("the scales have different numbers of classes", scale.classes.tensor->name);
    }
    scales.push_back(scale);
  }
  return scales;
}

Status check(const Yolo26Options& options) {
  const auto side = [](int value, int least) { return value >= least && value <= kMaxSide; };
  if (!side(options.input_width, 1) || !side(options.input_height, 1) ||
      !side(options.picture_width, 0) || !side(options.picture_height, 0)) {
    return refused("the size of the input or of the picture is not within 1 and 65,536");
  }
  if (options.most < 1 || options.most > kMaxBoxes || !(options.threshold >= 0.0)) {
    return refused("the threshold is below 0, or the number of boxes not within 1 and 100,000");
  }
  return Ok{};
}

struct Candidate {
  double logit = 0.0;
  size_t scale = 0;
  int64_t cell = 0;
  int64_t class_index = 0;
};

bool before(const Candidate& a, const Candidate& b) {
  if (a.logit != b.logit) return a.logit > b.logit;
  return std::tie(a.scale, a.cell, a.class_index) < std::tie(b.scale, b.cell, b.class_index);
}

double sigmoid(double logit) { return 1.0 / (1.0 + std::exp(-logit)); }

void keep_best(std::vector<Candidate>& candidates, int most) {
  std::sort(candidates.begin(), candidates.end(), before);
  if (candidates.size() > static_cast<size_t>(most)) candidates.resize(static_cast<size_t>(most));
}

// Cells whose best class reaches the threshold, with that class.
std::vector<Candidate> best_cells(const std::vector<Scale>& scales, const Yolo26Options& options) {
  std::vector<Candidate> cells;
  for (size_t s = 0; s < scales.size(); ++s) {
    const Map& map = scales[s].classes;
    for (int64_t cell = 0; cell < map.height * map.width; ++cell) {
      Candidate best{-HUGE_VAL, s, cell, 0};
      for (int64_t c = 0; c < map.depth; ++c) {
        const double logit = map.value(cell, c);
        if (logit > best.logit) best = {logit, s, cell, c};
      }
      if (sigmoid(best.logit) >= options.threshold) cells.push_back(best);
    }
  }
  keep_best(cells, options.most);
  return cells;
}

// All classes of the cells that reach the threshold.
std::vector<Candidate> best_classes(const std::vector<Scale>& scales,
                                    const std::vector<Candidate>& cells,
                                    const Yolo26Options& options) {
  std::vector<Candidate> result;
  for (const Candidate& cell : cells) {
    const Map& map = scales[cell.scale].classes;
    for (int64_t c = 0; c < map.depth; ++c) {
      const double logit = map.value(cell.cell, c);
      if (sigmoid(logit) >= options.threshold) result.push_back({logit, cell.scale, cell.cell, c});
    }
  }
  keep_best(result, options.most);
  return result;
}

// From pixels of the input to those of the picture, along one axis.
struct Axis {
  double begin, factor, limit;

  static Axis make(int input, int picture, double begin, double length) {
    const int size = picture > 0 ? picture : input;
    const double over = length > 0.0 ? length : input;
    return {length > 0.0 ? begin : 0.0, size / over, static_cast<double>(size)};
  }
  double to_picture(double at) const { return std::clamp((at - begin) * factor, 0.0, limit); }
};

std::string class_name(int64_t index, int64_t count, const Yolo26Options& options) {
  const size_t at = static_cast<size_t>(index);
  if (!options.names.empty()) return options.names[at];
  if (count == static_cast<int64_t>(kCocoNames.size())) return std::string(kCocoNames[at]);
  return std::to_string(index);
}

Detection box_of(const Candidate& candidate, const Scale& scale, const Yolo26Options& options) {
  const Map& map = scale.boxes;
  const double x = static_cast<double>(candidate.cell % map.width) + 0.5;
  const auto row = candidate.cell / map.width;
  const double y = static_cast<double>(row) + 0.5;
  const Placement& p = options.placement;
  const Axis across = Axis::make(options.input_width, options.picture_width, p.left, p.width);
  const Axis down = Axis::make(options.input_height, options.picture_height, p.top, p.height);
  const auto side = [&](int64_t channel) { return map.value(candidate.cell, channel); };
  Detection box;
  box.class_index = static_cast<int>(candidate.class_index);
  box.name = class_name(candidate.class_index, scale.classes.depth, options);
  box.score = sigmoid(candidate.logit);
  box.x0 = across.to_picture((x - side(0)) * scale.stride_x);
  box.y0 = down.to_picture((y - side(1)) * scale.stride_y);
  box.x1 = across.to_picture((x + side(2)) * scale.stride_x);
  box.y1 = down.to_picture((y + side(3)) * scale.stride_y);
  return box;
}

}  // namespace

Result<std::vector<Detection>> decode_yolo26(std::span<const Tensor> maps,
                                             const Yolo26Options& options) {
  EDGETWIN_TRY(check(options));
  EDGETWIN_TRY_ASSIGN(const std::vector<Scale> scales, scales_of(maps, options));
  const int64_t classes = scales[0].classes.depth;
  if (!options.names.empty() && static_cast<int64_t>(options.names.size()) != classes) {
    return refused("there are " + std::to_string(options.names.size()) + " names for " +
                   std::to_string(classes) + " classes");
  }
  std::vector<Detection> boxes;
  for (const Candidate& one : best_classes(scales, best_cells(scales, options), options)) {
    Detection box = box_of(one, scales[one.scale], options);
    if (box.x1 > box.x0 && box.y1 > box.y0) boxes.push_back(std::move(box));
  }
  return boxes;
}

}  // namespace edgetwin::decode
