#include "ops/decoders/detection_postprocess.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/core/checks.h"
#include "ops/decoders/prepare.h"

namespace edgetwin::ops {
namespace {

// Larger scores first; not-a-number last, so that the order is one. Equal ones keep their order.
struct Better {
  std::span<const float> scores;
  float key(size_t i) const {
    return std::isnan(scores[i]) ? -std::numeric_limits<float>::infinity() : scores[i];
  }
  bool operator()(size_t a, size_t b) const { return key(a) > key(b); }
};

float area(const Box& b) { return (b.ymax - b.ymin) * (b.xmax - b.xmin); }

Box decode_box(const float* e, const float* anchor, const DetectionAttrs& o) {
  const auto d = [](float v) { return static_cast<double>(v); };
  const auto cy = static_cast<float>(d(e[0]) / d(o.y_scale) * d(anchor[2]) + d(anchor[0]));
  const auto cx = static_cast<float>(d(e[1]) / d(o.x_scale) * d(anchor[3]) + d(anchor[1]));
  const auto half_h = static_cast<float>(0.5 * std::exp(d(e[2]) / d(o.h_scale)) * d(anchor[2]));
  const auto half_w = static_cast<float>(0.5 * std::exp(d(e[3]) / d(o.w_scale)) * d(anchor[3]));
  return {cy - half_h, cx - half_w, cy + half_h, cx + half_w};
}

// Scores of one anchor without the background.
std::span<const float> class_scores(const DetectionInputs& in, const DetectionAttrs& o,
                                    size_t anchor) {
  const auto all = static_cast<size_t>(in.classes);
  const auto used = static_cast<size_t>(o.num_classes);
  return in.scores.subspan(anchor * all + all - used, used);
}

// One suppression over the best score of every anchor, which then gives its best classes.
std::vector<Detection> detect_fast(const DetectionInputs& in, const DetectionAttrs& o,
                                   std::span<const Box> boxes) {
  std::vector<float> best(boxes.size());
  for (size_t i = 0; i < boxes.size(); ++i) {
    const auto scores = class_scores(in, o, i);
    const Better better{scores};
    best[i] = better.key(0);
    for (size_t k = 1; k < scores.size(); ++k) best[i] = std::max(best[i], better.key(k));
  }
  const auto wanted = static_cast<size_t>(std::min(o.max_classes_per_detection, o.num_classes));
  std::vector<size_t> order(static_cast<size_t>(o.num_classes));
  std::vector<Detection> result;
  for (const size_t i :
       suppress(boxes, best, o.nms_score_threshold, o.nms_iou_threshold, o.max_detections)) {
    const auto scores = class_scores(in, o, i);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), Better{scores});
    for (size_t k = 0; k < wanted; ++k) {
      result.push_back({boxes[i], static_cast<int64_t>(order[k]), scores[order[k]]});
    }
  }
  return result;
}

// One suppression per class; the best of all classes so far remain.
std::vector<Detection> detect_regular(const DetectionInputs& in, const DetectionAttrs& o,
                                      std::span<const Box> boxes) {
  std::vector<Detection> result;
  std::vector<float> scores(boxes.size());
  for (int label = 0; label < o.num_classes; ++label) {
    for (size_t i = 0; i < boxes.size(); ++i) {
      scores[i] = class_scores(in, o, i)[static_cast<size_t>(label)];
    }
    for (const size_t i : suppress(boxes, scores, o.nms_score_threshold, o.nms_iou_threshold,
                                   o.detections_per_class)) {
      result.push_back({boxes[i], label, scores[i]});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const Detection& a, const Detection& b) { return a.score > b.score; });
    if (result.size() > static_cast<size_t>(o.max_detections)) {
      result.resize(static_cast<size_t>(o.max_detections));
    }
  }
  return result;
}

Error bad_option(const std::string& what) { return Error(ErrorCode::op_attribute, what); }

}  // namespace

Result<std::vector<Box>> decode_boxes(const DetectionInputs& in, const DetectionAttrs& options) {
  std::vector<Box> boxes(static_cast<size_t>(in.anchors));
  for (size_t i = 0; i < boxes.size(); ++i) {
    boxes[i] = decode_box(in.encodings.data() + i * static_cast<size_t>(in.encoding_size),
                          in.anchor_boxes.data() + 4 * i, options);
    if (!(boxes[i].ymin < boxes[i].ymax && boxes[i].xmin < boxes[i].xmax)) {
      return Error(ErrorCode::op_data, "box " + std::to_string(i) + " has no area")
          .detail("y " + std::to_string(boxes[i].ymin) + " to " + std::to_string(boxes[i].ymax) +
                  ", x " + std::to_string(boxes[i].xmin) + " to " + std::to_string(boxes[i].xmax));
    }
  }
  return boxes;
}

float overlap(const Box& a, const Box& b) {
  const float area_a = area(a);
  const float area_b = area(b);
  if (area_a <= 0.0F || area_b <= 0.0F) return 0.0F;
  const float h = std::max(0.0F, std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin));
  const float w = std::max(0.0F, std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin));
  const float common = h * w;
  return common / (area_a + area_b - common);
}

std::vector<size_t> suppress(std::span<const Box> boxes, std::span<const float> scores,
                             float threshold, float max_overlap, int64_t limit) {
  std::vector<size_t> order;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= threshold) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), Better{scores});
  std::vector<size_t> kept;
  for (const size_t i : order) {
    if (static_cast<int64_t>(kept.size()) >= limit) break;
    const bool hidden = std::any_of(kept.begin(), kept.end(), [&](size_t k) {
      return overlap(boxes[k], boxes[i]) > max_overlap;
    });
    if (!hidden) kept.push_back(i);
  }
  return kept;
}

Result<std::vector<Detection>> detect(const DetectionInputs& in, const DetectionAttrs& options) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Box> boxes, decode_boxes(in, options));
  return options.use_regular_nms ? detect_regular(in, options, boxes)
                                 : detect_fast(in, options, boxes);
}

Status check_detection_options(const DetectionAttrs& o, int64_t classes) {
  if (o.max_detections < 1)
    return bad_option("max_detections is " + std::to_string(o.max_detections));
  if (o.max_classes_per_detection < 1) {
    return bad_option("max_classes_per_detection is " +
                      std::to_string(o.max_classes_per_detection));
  }
  if (o.use_regular_nms && o.detections_per_class < 1) {
    return bad_option("detections_per_class is " + std::to_string(o.detections_per_class));
  }
  if (o.num_classes < 1 || (classes != o.num_classes && classes != int64_t{o.num_classes} + 1)) {
    return bad_option("num_classes is " + std::to_string(o.num_classes) +
                      ", there are scores for " + std::to_string(classes) +
                      " classes; one more may be the background");
  }
  for (const float s : {o.y_scale, o.x_scale, o.h_scale, o.w_scale}) {
    if (!std::isfinite(s) || s == 0.0F) return bad_option("a box scale is " + std::to_string(s));
  }
  if (std::isnan(o.nms_score_threshold) || std::isnan(o.nms_iou_threshold)) {
    return bad_option("a threshold of the suppression is not a number");
  }
  return Ok{};
}

Result<RealOperand> RealOperand::make(const OpContext& c, size_t i, float extra) {
  const DType type = c.input(i).dtype;
  const Quant& q = c.input(i).quant;
  RealOperand r;
  r.type_ = type;
  r.elements_ = c.input_shape(i).elements();
  r.factor_ = extra;
  if (type == DType::float32) return r;
  if (type != DType::uint8 && type != DType::int8) return c.unsupported_types();
  if (!q.present() || q.channels() != 1) {
    return c.error(ErrorCode::op_quant, "input " + std::to_string(i) +
                                            " must have one scale, it has " +
                                            std::to_string(q.channels()));
  }
  r.factor_ = q.scale_of(0) * extra;
  r.zero_point_ = q.zero_point_of(0);
  return r;
}

Result<RealOperand> RealOperand::make(const Tensor& tensor, float extra) {
  RealOperand r;
  r.type_ = tensor.dtype;
  r.elements_ = tensor.shape.elements();
  r.factor_ = extra;
  if (tensor.dtype == DType::float32) return r;
  if (tensor.dtype != DType::uint8 && tensor.dtype != DType::int8) {
    return Error(ErrorCode::op_type, "'" + tensor.name + "' is " + std::string(name(tensor.dtype)) +
                                         ", not uint8, int8 or float32");
  }
  if (!tensor.quant.present() || tensor.quant.channels() != 1) {
    return Error(ErrorCode::op_quant, "'" + tensor.name + "' must have one scale");
  }
  r.factor_ = tensor.quant.scale_of(0) * extra;
  r.zero_point_ = tensor.quant.zero_point_of(0);
  return r;
}

std::vector<float> RealOperand::read(const std::byte* data) const {
  std::vector<float> values(static_cast<size_t>(elements_));
  const auto convert = [&](const auto* from) {
    for (float& v : values) v = static_cast<float>(*from++ - zero_point_) * factor_;
  };
  if (type_ == DType::uint8) convert(reinterpret_cast<const uint8_t*>(data));
  if (type_ == DType::int8) convert(reinterpret_cast<const int8_t*>(data));
  if (type_ == DType::float32) {
    const auto* from = reinterpret_cast<const float*>(data);
    for (float& v : values) v = *from++ * factor_;
  }
  return values;
}

namespace {

Status check_shapes(const OpContext& c) {
  const Shape& boxes = c.input_shape(0);
  const Shape& scores = c.input_shape(1);
  const Shape& anchors = c.input_shape(2);
  const bool ok = boxes.rank() == 3 && boxes[0] == 1 && boxes[2] >= 4 && scores.rank() == 3 &&
                  scores[0] == 1 && scores[1] == boxes[1] && anchors == Shape{boxes[1], 4};
  if (ok) return Ok{};
  return c.error(ErrorCode::op_shape, "boxes " + to_string(boxes) + ", scores " +
                                          to_string(scores) + " and anchors " + to_string(anchors) +
                                          " must be 1xNx4, 1xNxC and Nx4");
}

[[gnu::cold]] Result<std::vector<Shape>> detection_shapes(const OpContext& c,
                                                          const DetectionAttrs& o) {
  const int64_t rows = int64_t{o.max_detections} * o.max_classes_per_detection;
  const std::vector<Shape> shapes = {{1, rows, 4}, {1, rows}, {1, rows}, {1}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (c.output(i).dtype != DType::float32) return c.unsupported_types();
    EDGETWIN_TRY(checks::output_shape(c, i, shapes[i]));
  }
  return shapes;
}

// Rows without a detection are zero. (The original leaves them undefined after the fast
// suppression; nothing can depend on them.)
void write(const std::vector<Detection>& found, int64_t rows, const Args& args) {
  for (size_t i = 0; i < 4; ++i) {
    std::fill_n(args.output<float>(i), i == 0 ? 4 * rows : i == 3 ? 1 : rows, 0.0F);
  }
  float* box = args.output<float>(0);
  for (size_t i = 0; i < found.size(); ++i) {
    for (const float v :
         {found[i].box.ymin, found[i].box.xmin, found[i].box.ymax, found[i].box.xmax}) {
      *box++ = v;
    }
    args.output<float>(1)[i] = static_cast<float>(found[i].label);
    args.output<float>(2)[i] = found[i].score;
  }
  *args.output<float>(3) = static_cast<float>(found.size());
}

}  // namespace

Result<Prepared> prepare_detection_postprocess(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 3));
  EDGETWIN_TRY(check_shapes(c));
  const auto& o = c.op().as<DetectionAttrs>();
  const Status options = check_detection_options(o, c.input_shape(1)[2]);
  if (!options.ok()) return Error(options.error()).in_layer(c.label());
  std::vector<RealOperand> inputs;
  for (size_t i = 0; i < 3; ++i) {
    EDGETWIN_TRY_ASSIGN(RealOperand input, RealOperand::make(c, i, 1.0F));
    inputs.push_back(input);
  }
  Prepared prepared;
  EDGETWIN_TRY_ASSIGN(prepared.output_shapes, detection_shapes(c, o));
  DetectionInputs sizes;
  sizes.anchors = c.input_shape(0)[1];
  sizes.encoding_size = c.input_shape(0)[2];
  sizes.classes = c.input_shape(1)[2];
  const int64_t rows = prepared.output_shapes[1][1];
  prepared.run = [inputs, sizes, rows, o, label = c.label()](const Args& args) -> Status {
    const std::vector<float> encodings = inputs[0].read(args.inputs[0]);
    const std::vector<float> scores = inputs[1].read(args.inputs[1]);
    const std::vector<float> anchors = inputs[2].read(args.inputs[2]);
    DetectionInputs in = sizes;
    in.encodings = encodings;
    in.scores = scores;
    in.anchor_boxes = anchors;
    auto found = detect(in, o);
    if (!found.ok()) return std::move(found).error().in_layer(label);
    write(*found, rows, args);
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
