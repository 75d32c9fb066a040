// Texts found and read by PP-OCR's networks, as ESP-DL's post-processors compute them.
#pragma once

#include <span>

#include "base/result.h"
#include "decode/espdl/core/params.h"
#include "decode/espdl/core/result.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// The values of the published network, where P.json says nothing: what a pixel and the mean of a
// text must reach, how far texts grow, the shortest side.
struct TextMapDefaults {
  float threshold, box_threshold, unclip_ratio, min_size;
};
inline constexpr TextMapDefaults kTextMap = {0.2F, 0.4F, 1.4F, 3.0F};

// Of the only output, one value per pixel: quadrangles around connected areas over `threshold`,
// grown by `unclip_ratio`, in pixels of the picture `source` that was scaled into `input`'s upper
// left corner. Ordered from top to bottom and left to right. Errors: decode_maps, bad_value.
Result<Decoded> decode_ocr_detector(std::span<const Tensor> outputs, const Params& params);

// Of the only output (steps, classes): the best class of each step, without repetitions and blanks
// (class 0). Names are the dictionary: the entry of class c. Error: decode_maps.
Result<Decoded> decode_ocr_recognizer(std::span<const Tensor> outputs, const Params& params);

}  // namespace edgetwin::espdl_decode
