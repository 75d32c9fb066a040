// SSD detectors: boxes against anchors, and non-maximum suppression, as the operator
// TFLite_Detection_PostProcess does it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "decode/detection.h"
#include "graph/attrs.h"
#include "tensor/tensor.h"

namespace edgetwin::decode {

struct SsdOptions {
  DetectionAttrs attributes;  // from the model's operator; of decode_ssd only
  bool logits = false;        // the scores have not gone through a sigmoid yet; of decode_ssd only
  double threshold = 0.5;     // detections of a lower score are left out
  // The picture whose pixels the boxes are in.
  int64_t picture_width = 0, picture_height = 0;
  std::vector<std::string> names;  // of the classes, without the background; numbers where absent
};

// From the network's own maps: box encodings (1 x) N x 4 or more, class scores (1 x) N x C, anchors
// N x 4 as centre and size; float32, or 8 bits with one scale. Suppression per class or over all
// classes as the attributes say. Best first. Errors: decode_maps, decode_options.
Result<std::vector<Detection>> decode_ssd(const Tensor& encodings, const Tensor& scores,
                                          const Tensor& anchors, const SsdOptions& options);

// From what the operator gave: boxes, classes, scores and their number. Error: decode_maps.
Result<std::vector<Detection>> ssd_detections(std::span<const Tensor> outputs,
                                              const SsdOptions& options);

}  // namespace edgetwin::decode
