#include "signals/fft/packing.h"

#include <bit>
#include <cmath>
#include <limits>

#include "signals/fft/reference.h"

namespace edgetwin::signals {
namespace {

Status check_form(const Tensor& t, const char* what, bool output) {
  if (!pairs_of(t.shape)) {
    return Error(ErrorCode::template_argument,
                 "the network's " + std::string(what) + " is " + to_string(t.shape) +
                     "; that of a transform is batch x N x 2, N a power of two")
        .with_hint("Give a network that `template fft` made.");
  }
  const bool known = t.dtype == DType::int8 || t.dtype == DType::uint8 || t.dtype == DType::int16 ||
                     t.dtype == DType::float32 || (output && t.dtype == DType::int32);
  const bool one_scale = t.dtype == DType::float32 || t.quant.channels() == 1;
  if (known && one_scale) return Ok{};
  return Error(ErrorCode::template_argument,
               "the network's " + std::string(what) + " is of type " + std::string(name(t.dtype)) +
                   " with " + std::to_string(t.quant.channels()) +
                   " scales; int8, uint8 and int16 with one, and float32 are possible")
      .with_hint("Give a network that `template fft` made.");
}

template <class T>
void unpack_as(const Tensor& t, std::vector<std::complex<float>>& to) {
  const auto from = t.as<T>();
  const auto real = [&](T v) {
    if constexpr (std::is_floating_point_v<T>) {
      return v;
    } else {
      return t.quant.scale_of(0) * static_cast<float>(v - t.quant.zero_point_of(0));
    }
  };
  for (size_t i = 0; i < to.size(); ++i) to[i] = {real(from[2 * i]), real(from[2 * i + 1])};
}

}  // namespace

std::string_view name(InputOrder order) {
  return order == InputOrder::natural ? "natural" : "bit_reversed";
}
std::optional<InputOrder> input_order(std::string_view word) {
  for (const InputOrder order : {InputOrder::natural, InputOrder::bit_reversed}) {
    if (name(order) == word) return order;
  }
  return std::nullopt;
}
InputOrder input_order(FftForm form) {
  return form == FftForm::matrix ? InputOrder::natural : InputOrder::bit_reversed;
}

std::optional<FftPairs> pairs_of(const Shape& shape) {
  FftPairs pairs;
  if (shape.rank() == 3 && shape[2] == 2) {
    pairs = {shape[0], shape[1]};
  } else if (shape.rank() == 2 && shape[1] % 2 == 0) {
    pairs = {shape[0], shape[1] / 2};
  } else if (shape.rank() == 3 && shape[1] == 1 && shape[2] == 1 && shape[0] % 2 == 0) {
    pairs = {1, shape[0] / 2};
  }
  const bool power = pairs.size > 1 && std::has_single_bit(static_cast<uint64_t>(pairs.size));
  if (pairs.batch < 1 || !power) return std::nullopt;
  return pairs;
}

Result<FftPacking> FftPacking::create(const Tensor& like, InputOrder order) {
  EDGETWIN_TRY(check_form(like, "input", false));
  FftPacking p;
  const FftPairs pairs = *pairs_of(like.shape);
  p.batch_ = static_cast<size_t>(pairs.batch);
  p.size_ = static_cast<size_t>(pairs.size);
  p.scale_ = like.quant.scale_of(0);
  p.zero_point_ = like.quant.zero_point_of(0);
  const int bits = std::countr_zero(p.size_);
  for (size_t i = 0; i < p.size_; ++i) {
    p.places_.push_back(order == InputOrder::natural ? i : bit_reversed(i, bits));
  }
  return p;
}

template <class T>
void FftPacking::pack_as(std::span<const std::complex<float>> samples, std::span<T> to) {
  const auto number = [&](float v) {
    if constexpr (std::is_floating_point_v<T>) {
      return v;
    } else {
      using Limits = std::numeric_limits<T>;
      const float steps = std::nearbyint(v / scale_) + static_cast<float>(zero_point_);
      if (steps >= Limits::min() && steps <= Limits::max()) return static_cast<T>(steps);
      ++cut_off_;
      return steps < 0.0F ? Limits::min() : Limits::max();
    }
  };
  for (size_t b = 0; b < batch_; ++b) {
    for (size_t i = 0; i < size_; ++i) {
      const std::complex<float> v = samples[b * size_ + i];
      const size_t at = 2 * (b * size_ + places_[i]);
      to[at] = number(v.real());
      to[at + 1] = number(v.imag());
    }
  }
}

void FftPacking::pack(std::span<const std::complex<float>> samples, Tensor& to) {
  if (to.dtype == DType::int8) pack_as(samples, to.as<int8_t>());
  if (to.dtype == DType::uint8) pack_as(samples, to.as<uint8_t>());
  if (to.dtype == DType::int16) pack_as(samples, to.as<int16_t>());
  if (to.dtype == DType::float32) pack_as(samples, to.as<float>());
}

Result<std::vector<std::complex<float>>> unpack(const Tensor& spectrum) {
  EDGETWIN_TRY(check_form(spectrum, "output", true));
  const FftPairs pairs = *pairs_of(spectrum.shape);
  std::vector<std::complex<float>> numbers(static_cast<size_t>(pairs.batch * pairs.size));
  if (spectrum.dtype == DType::int8) unpack_as<int8_t>(spectrum, numbers);
  if (spectrum.dtype == DType::uint8) unpack_as<uint8_t>(spectrum, numbers);
  if (spectrum.dtype == DType::int16) unpack_as<int16_t>(spectrum, numbers);
  if (spectrum.dtype == DType::int32) unpack_as<int32_t>(spectrum, numbers);
  if (spectrum.dtype == DType::float32) unpack_as<float>(spectrum, numbers);
  return numbers;
}

}  // namespace edgetwin::signals
