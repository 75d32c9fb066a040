#include "decode/ssd.h"

#include <algorithm>
#include <cmath>

#include "decode/maps.h"
#include "ops/decoders/detection_postprocess.h"
#include "ops/decoders/posenet_decoder.h"

namespace edgetwin::decode {
namespace {

Detection detection_of(const ops::Box& box, int64_t label, float score, const SsdOptions& o) {
  const auto pixel = [](float part, int64_t size) {
    const auto limit = static_cast<double>(size);
    const double at = static_cast<double>(part) * limit;
    return std::clamp(std::isnan(at) ? 0.0 : at, 0.0, limit);
  };
  Detection d;
  d.class_index = static_cast<int>(label);
  const auto index = static_cast<size_t>(label);
  d.name = label >= 0 && index < o.names.size() && !o.names[index].empty() ? o.names[index]
                                                                           : std::to_string(label);
  d.score = static_cast<double>(score);
  d.x0 = pixel(box.xmin, o.picture_width), d.x1 = pixel(box.xmax, o.picture_width);
  d.y0 = pixel(box.ymin, o.picture_height), d.y1 = pixel(box.ymax, o.picture_height);
  return d;
}

// Rows and columns of (1 x) N x C.
struct Table {
  int64_t rows = 0, columns = 0;
};
Result<Table> table_of(const Tensor& t, const char* what) {
  const Shape& s = t.shape;
  const bool ok =
      s.is_static() && (s.rank() == 2 || (s.rank() == 3 && s[0] == 1)) && s.elements() > 0;
  if (!ok) {
    return maps_error(std::string(what) + " '" + t.name + "' are " + to_string(s) + ", not 1xNxC");
  }
  return Table{s.back(1), s.back(0)};
}

}  // namespace

Result<std::vector<Detection>> decode_ssd(const Tensor& encodings, const Tensor& scores,
                                          const Tensor& anchors, const SsdOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Table boxes, table_of(encodings, "box encodings"));
  EDGETWIN_TRY_ASSIGN(const Table classes, table_of(scores, "class scores"));
  EDGETWIN_TRY_ASSIGN(const Table priors, table_of(anchors, "anchors"));
  if (boxes.columns < 4 || priors.columns != 4 || boxes.rows != classes.rows ||
      boxes.rows != priors.rows) {
    return maps_error("encodings " + to_string(encodings.shape) + ", scores " +
                      to_string(scores.shape) + " and anchors " + to_string(anchors.shape) +
                      " must be 1xNx4, 1xNxC and Nx4");
  }
  const Status fits = ops::check_detection_options(options.attributes, classes.columns);
  if (!fits.ok()) return Error(ErrorCode::decode_options, fits.error().message);
  EDGETWIN_TRY_ASSIGN(const std::vector<float> e, real_values(encodings));
  EDGETWIN_TRY_ASSIGN(std::vector<float> s, real_values(scores));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> a, real_values(anchors));
  if (options.logits) std::transform(s.begin(), s.end(), s.begin(), ops::sigmoid);
  const auto found =
      ops::detect({boxes.rows, boxes.columns, classes.columns, e, s, a}, options.attributes);
  if (!found.ok()) return maps_error(found.error().message);
  std::vector<Detection> result;
  for (const ops::Detection& d : *found) {
    if (!(static_cast<double>(d.score) >= options.threshold)) continue;
    result.push_back(detection_of(d.box, d.label, d.score, options));
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Detection& x, const Detection& y) { return x.score > y.score; });
  return result;
}

Result<std::vector<Detection>> ssd_detections(std::span<const Tensor> outputs,
                                              const SsdOptions& options) {
  if (outputs.size() != 4) {
    return maps_error("the model has " + std::to_string(outputs.size()) +
                      " outputs, where boxes, classes, scores and their number are wanted");
  }
  const int64_t rows = outputs[1].shape.elements();
  const bool fits = outputs[0].shape.elements() == 4 * rows &&
                    outputs[2].shape.elements() == rows && outputs[3].shape.elements() == 1;
  if (!fits) {
    return maps_error("boxes " + to_string(outputs[0].shape) + ", classes " +
                      to_string(outputs[1].shape) + ", scores " + to_string(outputs[2].shape) +
                      " and number " + to_string(outputs[3].shape) + " do not fit together");
  }
  std::array<std::vector<float>, 4> v;
  for (size_t i = 0; i < 4; ++i) {
    EDGETWIN_TRY_ASSIGN(v[i], real_values(outputs[i]));
  }
  const float given = v[3][0];
  const auto count =
      static_cast<size_t>(given > 0.0F ? std::min(given, static_cast<float>(rows)) : 0.0F);
  std::vector<Detection> result;
  for (size_t i = 0; i < count; ++i) {
    const float* b = v[0].data() + 4 * i;
    if (!(static_cast<double>(v[2][i]) >= options.threshold)) continue;
    const float label = std::clamp(std::isnan(v[1][i]) ? 0.0F : v[1][i], 0.0F, 1e6F);
    result.push_back(
        detection_of({b[0], b[1], b[2], b[3]}, static_cast<int64_t>(label), v[2][i], options));
  }
  return result;
}

}  // namespace edgetwin::decode
