// Calibration data from files: folders of pictures and arrays, .npy, .npz.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "image/pixels.h"
#include "image/resize.h"
#include "quantize/calibration/sample.h"

namespace edgetwin::quantize {

// How a picture becomes numbers, in RGB, in the network's order of axes.
struct PictureOptions : PictureScale {
  Resize resize = Resize::half_pixel;  // or nearest; both by PixelView of image/pixels.h
  // A picture as a chip brings it in, instead of all of the above: float32 (rows, columns,
  // channels).
  std::function<Result<Tensor>(const Tensor& picture, int64_t rows, int64_t columns,
                               int64_t channels)>
      pipeline = {};
};

// `paths`: one per input of the network in its order or as NAME=PATH, or a single .npz with the
// inputs' names. A folder gives its files in the order of their names; an array whose first axis is
// longer than the input's, or additional, gives a sample per row. At most `limit` samples.
// Errors: usage where `options` say something and no picture is read, quant_calibration,
// quant_not_finite, file_*, npy_*, npz_archive, image_decode.
Result<std::vector<Sample>> load_samples(std::span<const std::string> paths, const Graph& graph,
                                         const PictureOptions& options, size_t limit);

// The picture (uint8, height x width x channels) as an input of this shape. Error:
// quant_calibration.
Result<Tensor> picture_sample(const Tensor& picture, const Value& input,
                              const PictureOptions& options);

}  // namespace edgetwin::quantize
