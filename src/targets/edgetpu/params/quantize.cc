#include "targets/edgetpu/params/quantize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace edgetwin::edgetpu {
namespace {

Error wrong_array(const ReferenceLayer& l, const std::string& what) {
  return Error(ErrorCode::params_array, what).in_layer(l.label);
}

Error no_place(const ReferenceLayer& l, const std::string& what) {
  return Error(ErrorCode::params_template, what).in_layer(l.label);
}

// Whether the layer has room for a scale of its own in every channel.
bool scale_per_channel(const BlockShape& shape) { return shape.has_scale; }

Status check_scales(const ReferenceLayer& l, const Piece& piece, const Tensor& given) {
  const auto channels = static_cast<size_t>(l.shape.out);
  if (given.dtype != DType::float32) return wrong_array(l, "scales must be float32");
  const size_t count = given.as<float>().size();
  if (count != 1 && count != channels) {
    return wrong_array(l, "there are " + std::to_string(count) + " scales, the layer has " +
                              std::to_string(channels) + " channels");
  }
  for (const float s : given.as<float>()) {
    if (!(s > 0.0F) || !std::isfinite(s)) return wrong_array(l, "a scale is not above zero");
  }
  const auto values = given.as<float>();
  const bool differ =
      std::any_of(values.begin(), values.end(), [&](float s) { return s != values[0]; });
  if (differ && !scale_per_channel(piece.shape)) {
    return no_place(l,
                    "the compiled model has one multiplier for all channels, in its instructions")
        .with_hint("Give a single scale.");
  }
  return Ok{};
}

// The largest magnitude that a stored weight can have, on the side that has less room.
float most_steps(uint8_t zero) {
  return static_cast<float>(zero == 128 ? 127 : std::max(1, std::min<int>(zero, 255 - zero)));
}

std::vector<float> scales_of_range(const ReferenceLayer& l, const Piece& piece,
                                   std::span<const float> weights,
                                   const std::vector<uint8_t>& zeros) {
  const size_t groups = scale_per_channel(piece.shape) ? static_cast<size_t>(l.shape.out) : 1;
  const size_t per_group = weights.size() / groups;
  std::vector<float> scales;
  for (size_t g = 0; g < groups; ++g) {
    float most = 0.0F;
    for (size_t i = 0; i < per_group; ++i) {
      most = std::max(most, std::abs(weights[g * per_group + i]));
    }
    const uint8_t zero = zeros[zeros.size() == 1 ? 0 : g];
    const float old = l.weight_scales[l.weight_scales.size() == 1 ? 0 : g];
    scales.push_back(most > 0.0F ? most / most_steps(zero) : old);
  }
  return scales;
}

class Builder {
 public:
  Builder(const ReferenceLayer& l, const Piece& piece, const BlockContent& old)
      : l_(l), piece_(piece), old_(old) {
    now_.content = old;
    now_.weight_scales = l.weight_scales;
  }

  Result<NewNumbers> run(const LayerPatch& wanted) {
    if (wanted.scales) EDGETWIN_TRY(take_scales(*wanted.scales));
    if (wanted.weights) EDGETWIN_TRY(take_weights(*wanted.weights));
    EDGETWIN_TRY(wanted.bias ? take_bias(*wanted.bias) : rescale_bias());
    if (now_.new_scales && piece_.shape.has_scale) {
      if (piece_.output_scale == 0.0F) {
        return no_place(l_, "the output scale that the compiled model uses is not known");
      }
      ReferenceLayer with = l_;
      with.weight_scales = now_.weight_scales;
      now_.content.scales = with.effective_scales(piece_.output_scale);
    }
    return std::move(now_);
  }

 private:
  Status take_scales(const Tensor& given) {
    EDGETWIN_TRY(check_scales(l_, piece_, given));
    const auto values = given.as<float>();
    now_.weight_scales.assign(values.begin(), values.end());
    if (!scale_per_channel(piece_.shape)) now_.weight_scales.resize(1);
    now_.new_scales = true;
    given_scales_ = true;
    return Ok{};
  }

  Status take_weights(const Tensor& given) {
    if (given.shape.elements() != l_.shape.weights()) {
      return wrong_array(l_, "the weights have shape " + to_string(given.shape) +
                                 ", the layer has " + to_string(l_.weight_shape));
    }
    if (given.dtype == DType::float32) return take_float_weights(given);
    if (given.dtype != DType::int8 && given.dtype != DType::uint8) {
      return wrong_array(l_, "weights must be int8, uint8 or float32");
    }
    if (given.dtype != l_.weight_type) {
      return wrong_array(l_, "the weights are " + std::string(name(given.dtype)) +
                                 ", the layer has " + std::string(name(l_.weight_type)));
    }
    now_.content.weights = to_chip_order(l_, given.data);
    return Ok{};
  }

  Status take_float_weights(const Tensor& given) {
    const auto values = given.as<float>();
    std::vector<float> ordered(values.begin(), values.end());
    reorder_floats(ordered);
    for (const float v : ordered) {
      if (!std::isfinite(v)) return wrong_array(l_, "a weight is not a finite number");
    }
    const std::vector<uint8_t>& zeros = old_.zero_points;
    if (!given_scales_) {
      now_.weight_scales = scales_of_range(l_, piece_, ordered, zeros);
      now_.new_scales = true;
    }
    for (const float s : now_.weight_scales) {
      if (!(s > 0.0F) || !std::isfinite(s)) {
        return no_place(l_, "the scales of the compiled model are no positive numbers");
      }
    }
    const size_t per_channel = ordered.size() / static_cast<size_t>(l_.shape.out);
    for (size_t i = 0; i < ordered.size(); ++i) {
      const size_t c = i / per_channel;
      const float scale = now_.weight_scales[now_.weight_scales.size() == 1 ? 0 : c];
      const auto zero = static_cast<float>(zeros[zeros.size() == 1 ? 0 : c]);
      const float q = std::round(ordered[i] / scale) + zero;
      const float limited = std::clamp(q, 0.0F, 255.0F);
      now_.limited += limited != q;
      now_.content.weights[i] = static_cast<std::byte>(static_cast<uint8_t>(limited));
    }
    return Ok{};
  }

  // As to_chip_order, for elements of four bytes.
  void reorder_floats(std::vector<float>& values) const {
    const bool last = l_.weight_shape.rank() == 4 && l_.weight_shape[0] == 1 && l_.shape.in == 1 &&
                      l_.shape.out > 1 && l_.weight_shape[3] == l_.shape.out;
    if (!last) return;
    const std::vector<float> from = values;
    const auto channels = static_cast<size_t>(l_.shape.out);
    const size_t taps = from.size() / channels;
    for (size_t c = 0; c < channels; ++c) {
      for (size_t t = 0; t < taps; ++t) values[c * taps + t] = from[t * channels + c];
    }
  }

  float scale_at(const std::vector<float>& scales, size_t c) const {
    return scales[scales.size() == 1 ? 0 : c];
  }

  Status take_bias(const Tensor& given) {
    const auto channels = static_cast<size_t>(l_.shape.out);
    if (static_cast<size_t>(given.shape.elements()) != channels) {
      return wrong_array(l_, "the bias has shape " + to_string(given.shape) + ", the layer has " +
                                 std::to_string(channels) + " channels");
    }
    std::vector<int32_t> bias;
    if (given.dtype == DType::int32) {
      bias.assign(given.as<int32_t>().begin(), given.as<int32_t>().end());
    } else if (given.dtype == DType::float32) {
      EDGETWIN_TRY_ASSIGN(bias, quantized_bias(given.as<float>()));
    } else {
      return wrong_array(l_, "a bias must be int32 or float32");
    }
    const bool all_zero = std::all_of(bias.begin(), bias.end(), [](int32_t b) { return b == 0; });
    now_.new_bias = true;
    if (piece_.shape.has_bias) {
      now_.content.bias = std::move(bias);
    } else if (!all_zero) {
      return no_place(l_, "the compiled model has no place for a bias: it was all zero")
          .with_hint("Compile the model again with a bias that is not zero.");
    }
    return Ok{};
  }

  Result<std::vector<int32_t>> quantized_bias(std::span<const float> values) const {
    std::vector<int32_t> bias;
    for (size_t c = 0; c < values.size(); ++c) {
      const double unit = static_cast<double>(l_.input_scale) *
                          static_cast<double>(scale_at(now_.weight_scales, c));
      EDGETWIN_TRY_ASSIGN(const int32_t b, in_32_bits(static_cast<double>(values[c]) / unit));
      bias.push_back(b);
    }
    return bias;
  }

  Result<int32_t> in_32_bits(double value) const {
    if (std::abs(value) <= static_cast<double>(INT32_MAX)) {
      return static_cast<int32_t>(std::round(value));
    }
    return wrong_array(l_, "a bias does not fit 32 bits");
  }

  // A bias counts in input scale times weight scale: it keeps its real value under new scales.
  Status rescale_bias() {
    if (!now_.new_scales || !piece_.shape.has_bias) return Ok{};
    for (size_t c = 0; c < old_.bias.size(); ++c) {
      const double ratio = static_cast<double>(scale_at(l_.weight_scales, c)) /
                           static_cast<double>(scale_at(now_.weight_scales, c));
      EDGETWIN_TRY_ASSIGN(now_.content.bias[c], in_32_bits(old_.bias[c] * ratio));
    }
    now_.rescaled_bias = true;
    return Ok{};
  }

  const ReferenceLayer& l_;
  const Piece& piece_;
  const BlockContent& old_;
  NewNumbers now_;
  bool given_scales_ = false;
};

}  // namespace

Result<NewNumbers> new_numbers(const ReferenceLayer& layer, const Piece& piece,
                               const BlockContent& old, const LayerPatch& wanted) {
  return Builder(layer, piece, old).run(wanted);
}

}  // namespace edgetwin::edgetpu
