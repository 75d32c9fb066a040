#include "exec/input.h"

#include <array>
#include <cmath>

#include "base/rng.h"
#include "numerics/saturate.h"
#include "numerics/tflite/requantize.h"
#include "tensor/shape_advice.h"

namespace edgetwin::exec {
namespace {

Error input_error(ErrorCode code, const Value& input, const std::string& what) {
  return Error(code, what).in_field("input '" + input.name + "'");
}

// Equal, or equal but for leading dimensions of size 1.
bool same_but_for_batch(const Shape& given, const Shape& wanted) {
  const int rank = std::max(given.rank(), wanted.rank());
  for (int i = 0; i < rank; ++i) {
    if (given.back(i) != wanted.back(i)) return false;
  }
  return true;
}

// real = q * 2^exponent: one multiplication in float32, then the target's rounding.
template <class T>
Tensor quantize_power_of_two(const Tensor& given, const Value& input, Tensor out,
                             numerics::Rounding rounding) {
  const auto from = given.as<float>();
  const auto to = out.as<T>();
  const float factor = std::ldexp(1.0F, -input.quant.exponent[0]);
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<T>(numerics::saturate_float(
        numerics::round_float(from[i] * factor, rounding), int32_t{std::numeric_limits<T>::min()},
        int32_t{std::numeric_limits<T>::max()}));
  }
  return out;
}

template <class T>
Result<Tensor> quantize(const Tensor& given, const Value& input, Tensor out,
                        numerics::Rounding rounding) {
  if (input.quant.scheme == Quant::Scheme::power_of_two) {
    return quantize_power_of_two<T>(given, input, std::move(out), rounding);
  }
  EDGETWIN_TRY_ASSIGN(const auto rule, numerics::tflite::QuantizeFloat<T>::make(
                                           {numerics::UnaryKind::requantize, {}, input.quant}));
  const auto from = given.as<float>();
  const auto to = out.as<T>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = rule(from[i]);
  return out;
}

Status check_finite(const Tensor& given, const Value& input) {
  const auto values = given.as<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    return input_error(ErrorCode::input_not_finite, input,
                       "element " + index_text(given.shape, static_cast<int64_t>(i)) + " is " +
                           (std::isnan(values[i]) ? "not a number" : "infinite"));
  }
  return Ok{};
}

Result<Tensor> empty_input(const Value& input, const Shape& shape) {
  EDGETWIN_TRY_ASSIGN(Tensor t, Tensor::zeros(input.dtype, shape));
  t.name = input.name;
  t.quant = input.quant;
  return t;
}

}  // namespace

Result<Tensor> convert_input(const Tensor& given, const Value& input, const Shape& shape,
                             numerics::Rounding rounding) {
  if (!same_but_for_batch(given.shape, shape)) {
    Error error = input_error(
        ErrorCode::input_shape, input,
        "the array is " + to_string(given.shape) + ", the model takes " + to_string(shape));
    error.hint = shape_advice(given.shape, shape);
    return error;
  }
  EDGETWIN_TRY_ASSIGN(Tensor out, empty_input(input, shape));
  if (given.dtype == input.dtype) {
    if (given.dtype == DType::float32) EDGETWIN_TRY(check_finite(given, input));
    out.data = given.data;
    return out;
  }
  if (given.dtype == DType::float32 && input.quant.present()) {
    EDGETWIN_TRY(check_finite(given, input));
    switch (input.dtype) {
      case DType::int8:
        return quantize<int8_t>(given, input, std::move(out), rounding);
      case DType::uint8:
        return quantize<uint8_t>(given, input, std::move(out), rounding);
      case DType::int16:
        return quantize<int16_t>(given, input, std::move(out), rounding);
      default:
        break;
    }
  }
  return input_error(ErrorCode::input_type, input,
                     "the array is " + std::string(name(given.dtype)) + ", the model takes " +
                         std::string(name(input.dtype)));
}

namespace {

// Pixels of one channel as quantized numbers.
struct PixelLevels {
  std::array<int16_t, 256> of{};
};

Status check_fits(const PictureScale& scale, int64_t channels) {
  if (scale.fits(channels)) return Ok{};
  return Error(ErrorCode::usage,
               "--mean and --std take one number, or one per channel: " + std::to_string(channels));
}

// One table per channel; empty for inputs that take pixels as they are.
Result<std::vector<PixelLevels>> pixel_levels(const Value& input, int64_t channels,
                                              const PictureScale& scale,
                                              numerics::Rounding rounding) {
  std::vector<PixelLevels> levels;
  if (input.quant.scheme != Quant::Scheme::power_of_two) return levels;
  EDGETWIN_TRY(check_fits(scale, channels));
  const auto range = *integer_range(input.dtype);
  for (int64_t c = 0; c < channels; ++c) {
    levels.emplace_back();
    for (size_t pixel = 0; pixel < 256; ++pixel) {
      const float real = scale.apply(static_cast<float>(pixel), c);
      const float q = numerics::round_float(std::ldexp(real, -input.quant.exponent[0]), rounding);
      levels.back().of[pixel] = static_cast<int16_t>(numerics::saturate_float(
          q, static_cast<int32_t>(range.low), static_cast<int32_t>(range.high)));
    }
  }
  return levels;
}

void store_level(Tensor& out, size_t index, int16_t level) {
  if (out.dtype == DType::int8) {
    out.as<int8_t>()[index] = static_cast<int8_t>(level);
  } else {
    out.as<int16_t>()[index] = level;
  }
}

void store_pixel(Tensor& out, size_t index, uint8_t pixel) {
  switch (out.dtype) {
    case DType::uint8:
      out.as<uint8_t>()[index] = pixel;
      break;
    case DType::int8:
      out.as<int8_t>()[index] = static_cast<int8_t>(pixel - 128);
      break;
    default:
      out.as<float>()[index] = pixel;
      break;
  }
}

}  // namespace

Result<PictureSize> picture_size(const Value& input, const Shape& shape) {
  const bool like_picture = shape.rank() == 3 || (shape.rank() == 4 && shape[0] == 1);
  const bool has_channels =
      like_picture && (shape.rank() == 4 || shape.back(0) == 1 || shape.back(0) == 3);
  // 28x28 without a channel axis is a grey picture, as old digit classifiers have it.
  const bool grey_plane = (shape.rank() == 2 && shape[0] > 1) ||
                          (shape.rank() == 3 && shape[0] == 1 && shape.back(0) > 3);
  const int64_t channels = grey_plane ? 1 : shape.back(0);
  if ((!has_channels && !grey_plane) || (channels != 1 && channels != 3) || shape.elements() == 0) {
    return input_error(ErrorCode::input_shape, input,
                       "a picture does not fit an input of " + to_string(shape));
  }
  if (grey_plane) return PictureSize{shape.back(1), shape.back(0), 1};
  return PictureSize{shape.back(2), shape.back(1), channels};
}

Result<Tensor> picture_input(const Tensor& picture, const Value& input, const Shape& shape,
                             const PictureScale& scale, numerics::Rounding rounding) {
  EDGETWIN_TRY_ASSIGN(const PictureSize size, picture_size(input, shape));
  const auto [height, width, channels] = size;
  const bool wide =
      input.dtype == DType::int16 && input.quant.scheme == Quant::Scheme::power_of_two;
  if (input.dtype != DType::uint8 && input.dtype != DType::int8 && input.dtype != DType::float32 &&
      !wide) {
    return input_error(ErrorCode::input_type, input,
                       "a picture cannot become " + std::string(name(input.dtype)));
  }
  EDGETWIN_TRY_ASSIGN(const auto levels, pixel_levels(input, channels, scale, rounding));
  EDGETWIN_TRY_ASSIGN(Tensor out, empty_input(input, shape));
  const bool scaled = input.dtype == DType::float32 && !(scale.mean.empty() && scale.std.empty());
  if (scaled) EDGETWIN_TRY(check_fits(scale, channels));
  const PixelView source(picture, channels);
  size_t index = 0;
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        const uint8_t pixel = source.nearest(y, x, c, height, width);
        if (scaled) {
          out.as<float>()[index++] = scale.apply(pixel, c);
        } else if (levels.empty()) {
          store_pixel(out, index++, pixel);
        } else {
          store_level(out, index++, levels[static_cast<size_t>(c)].of[pixel]);
        }
      }
    }
  }
  return out;
}

Result<Tensor> planar_picture_input(const Tensor& picture, const Value& input, const Shape& shape,
                                    const PictureScale& scale) {
  if (shape.rank() != 4 || shape[0] != 1 || input.dtype != DType::float32) {
    return input_error(ErrorCode::input_shape, input,
                       "a picture does not fit an input of " + to_string(shape));
  }
  const auto channels = static_cast<size_t>(shape[1]);
  for (const auto* numbers : {&scale.mean, &scale.std}) {
    if (numbers->size() <= 1 || numbers->size() == channels) continue;
    return input_error(ErrorCode::usage, input,
                       std::to_string(numbers->size()) + " numbers of --mean or --std for " +
                           std::to_string(channels) + " channels");
  }
  Value pixels = input;
  pixels.dtype = DType::uint8;
  pixels.quant = {};
  EDGETWIN_TRY_ASSIGN(const Tensor interleaved,
                      picture_input(picture, pixels, {1, shape[2], shape[3], shape[1]}));
  EDGETWIN_TRY_ASSIGN(Tensor out, empty_input(input, shape));
  const auto plane = static_cast<size_t>(shape[2] * shape[3]);
  const auto from = interleaved.as<uint8_t>();
  const auto to = out.as<float>();
  for (size_t c = 0; c < channels; ++c) {
    for (size_t i = 0; i < plane; ++i) {
      const auto pixel = static_cast<float>(from[i * channels + c]);
      to[c * plane + i] = scale.apply(pixel, static_cast<int64_t>(c));
    }
  }
  return out;
}

Result<std::vector<Tensor>> generated_inputs(uint32_t seed, const Graph& graph,
                                             std::span<const Shape> shapes) {
  XorShift32 generator(seed);
  std::vector<Tensor> result;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    EDGETWIN_TRY_ASSIGN(Tensor t, empty_input(graph.value(graph.inputs[i]), shapes[i]));
    for (std::byte& b : t.data) b = static_cast<std::byte>(generator.byte());
    result.push_back(std::move(t));
  }
  return result;
}

}  // namespace edgetwin::exec
