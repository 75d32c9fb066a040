#include <algorithm>
#include <cmath>
#include "image/pixels.h"
#include "quantize/calibration/samples.h"

namespace edgetwin::quantize {
namespace {

struct Place {
  int64_t height = 0, width = 0, channels = 0;
  bool channels_last = false;
};

Error no_picture(const Value& input, const std::string& why) {
  return Error(ErrorCode::quant_calibration, "a picture does not fit the input '" + input.name +
                                                 "' of " + to_string(input.shape) + ": " + why);
}

bool pixels(int64_t channels) { return channels == 1 || channels == 3; }

Result<Place> place_of(const Value& input) {
  const Shape& s = input.shape;
  if (s.rank() != 4 || s[0] != 1)
    return no_picture(input, "1 x channels x rows x columns is needed");
  if (pixels(s[1])) return Place{s[2], s[3], s[1], false};
  if (pixels(s[3])) return Place{s[1], s[2], s[3], true};
  return no_picture(input, "it has " + std::to_string(s[1]) + " channels, pictures have 1 or 3");
}

// From channels last into the network's order of axes.
void place_pixels(std::span<const float> from, const Place& to, std::span<float> out) {
  for (size_t i = 0; i < from.size(); ++i) {
    const auto channels = static_cast<size_t>(to.channels);
    const size_t cell = i / channels, c = i % channels;
    out[to.channels_last ? i : c * from.size() / channels + cell] = from[i];
  }
}

}  // namespace

Result<Tensor> picture_sample(const Tensor& picture, const Value& input,
                              const PictureOptions& options) {
  EDGETWIN_TRY_ASSIGN(const Place to, place_of(input));
  for (const auto* list : {&options.mean, &options.std}) {
    if (list->size() > 1 && static_cast<int64_t>(list->size()) != to.channels) {
      return Error(ErrorCode::quant_calibration,
                   std::to_string(list->size()) + " numbers for mean or std, the input '" +
                       input.name + "' has " + std::to_string(to.channels) + " channels");
    }
  }
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(DType::float32, input.shape));
  if (options.pipeline) {
    EDGETWIN_TRY_ASSIGN(const Tensor made,
                        options.pipeline(picture, to.height, to.width, to.channels));
    place_pixels(made.as<float>(), to, t.as<float>());
    return t;
  }
  const PixelView source(picture, to.channels);
  const auto out = t.as<float>();
  for (int64_t y = 0; y < to.height; ++y) {
    for (int64_t x = 0; x < to.width; ++x) {
      for (int64_t c = 0; c < to.channels; ++c) {
        const float pixel = options.resize == Resize::nearest
                                ? source.nearest(y, x, c, to.height, to.width)
                                : source.half_pixel(y, x, c, to.height, to.width);
        const int64_t index = to.channels_last ? (y * to.width + x) * to.channels + c
                                               : (c * to.height + y) * to.width + x;
        out[static_cast<size_t>(index)] = options.apply(pixel, c);
      }
    }
  }
  return t;
}

}  // namespace edgetwin::quantize
