// From box encodings and class scores to detections: decoding against anchors and non-maximum
// suppression. Source: kernel specification 5.1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "graph/attrs.h"
#include "ops/core/kernel.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {

// An operand of a post-processing operator as real numbers: float32, or 8 bits with one scale, as
// (q - zero point) * f32(scale * extra).
class RealOperand {
 public:
  // Errors: op_type, op_quant.
  static Result<RealOperand> make(const OpContext& c, size_t i, float extra);
  // Of a tensor that is there already. Error: op_type, op_quant.
  static Result<RealOperand> make(const Tensor& tensor, float extra);
  std::vector<float> read(const std::byte* data) const;

 private:
  DType type_ = DType::float32;
  float factor_ = 1.0F;
  int64_t zero_point_ = 0;
  int64_t elements_ = 0;
};

// All numbers real. Encodings and anchors are (y, x, height, width), centre and size.
struct DetectionInputs {
  int64_t anchors = 0;                  // N
  int64_t encoding_size = 4;            // numbers per box; those beyond four are not used
  int64_t classes = 0;                  // C, with the background where there is one
  std::span<const float> encodings;     // N x encoding_size
  std::span<const float> scores;        // N x C, taken as they are: no sigmoid
  std::span<const float> anchor_boxes;  // N x 4
};

struct Box {
  float ymin = 0.0F, xmin = 0.0F, ymax = 0.0F, xmax = 0.0F;
  bool operator==(const Box&) const = default;
};

struct Detection {
  Box box;
  int64_t label = 0;  // without the background
  float score = 0.0F;
};

// Decoded in double, each of centre and half size rounded to single precision, corners formed in
// it. Error: op_data for a box without area.
Result<std::vector<Box>> decode_boxes(const DetectionInputs& in, const DetectionAttrs& options);

// Intersection over union; 0 if a box has no area.
float overlap(const Box& a, const Box& b);

// Indices of the boxes that remain, at most `limit`, best first: those whose score reaches the
// threshold and that no better one overlaps by more than `max_overlap`. Equal scores keep their
// order.
std::vector<size_t> suppress(std::span<const Box> boxes, std::span<const float> scores,
                             float threshold, float max_overlap, int64_t limit);

// The whole operator; `options` as check_detection_options accepts them. At most
// max_detections * max_classes_per_detection rows. Error: op_data.
Result<std::vector<Detection>> detect(const DetectionInputs& in, const DetectionAttrs& options);

// Errors: op_attribute.
Status check_detection_options(const DetectionAttrs& options, int64_t classes);

}  // namespace edgetwin::ops
