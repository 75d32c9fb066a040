#include <algorithm>
#include <cmath>

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

float parameter(const std::vector<float>& list, int64_t channel, float otherwise) {
  if (list.empty()) return otherwise;
  return list[list.size() == 1 ? 0 : static_cast<size_t>(channel)];
}

class Source {
 public:
  Source(const Tensor& picture, int64_t channels)
      : data_(picture.as<uint8_t>()),
        height_(picture.shape[0]),
        width_(picture.shape[1]),
        own_(picture.shape[2]),
        channels_(channels) {}

  float at(int64_t y, int64_t x, int64_t c) const {
    const uint8_t* p = data_.data() + (y * width_ + x) * own_;
    if (own_ == 1) return p[0];
    if (channels_ == 1) {
      const int grey = (299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000;  // a whole step
      return static_cast<float>(grey);
    }
    return p[c];
  }
  float nearest(int64_t y, int64_t x, int64_t c, const Place& to) const {
    return at(y * height_ / to.height, x * width_ / to.width, c);
  }
  // Half-pixel centres, as picture libraries scale without smoothing.
  float bilinear(int64_t y, int64_t x, int64_t c, const Place& to) const {
    const Axis v(y, height_, to.height);
    const Axis h(x, width_, to.width);
    const float top = at(v.first, h.first, c) * (1 - h.share) + at(v.first, h.second, c) * h.share;
    const float low =
        at(v.second, h.first, c) * (1 - h.share) + at(v.second, h.second, c) * h.share;
    return top * (1 - v.share) + low * v.share;
  }

 private:
  struct Axis {
    Axis(int64_t out, int64_t in_size, int64_t out_size) {
      const float scale = static_cast<float>(in_size) / static_cast<float>(out_size);
      const float f = std::clamp((static_cast<float>(out) + 0.5F) * scale - 0.5F, 0.0F,
                                 static_cast<float>(in_size - 1));
      first = static_cast<int64_t>(f);
      second = std::min(first + 1, in_size - 1);
      share = f - static_cast<float>(first);
    }
    int64_t first, second;
    float share;
  };
  std::span<const uint8_t> data_;
  int64_t height_, width_, own_, channels_;
};

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
  const Source source(picture, to.channels);
  const auto out = t.as<float>();
  for (int64_t y = 0; y < to.height; ++y) {
    for (int64_t x = 0; x < to.width; ++x) {
      for (int64_t c = 0; c < to.channels; ++c) {
        const float pixel = options.resize == Resize::nearest ? source.nearest(y, x, c, to)
                                                              : source.bilinear(y, x, c, to);
        const int64_t index = to.channels_last ? (y * to.width + x) * to.channels + c
                                               : (c * to.height + y) * to.width + x;
        out[static_cast<size_t>(index)] =
            (pixel - parameter(options.mean, c, 0.0F)) / parameter(options.std, c, 255.0F);
      }
    }
  }
  return t;
}

}  // namespace edgetwin::quantize
