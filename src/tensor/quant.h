// What the integers of a tensor stand for.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace edgetwin {

struct Quant {
  enum class Scheme : uint8_t {
    none,
    affine,        // real = scale * (q - zero_point): TensorFlow Lite, Edge TPU
    power_of_two,  // real = q * 2^exponent: ESP-DL; MAX7800x activations have exponent -7
  };

  Scheme scheme = Scheme::none;
  std::vector<float> scale;         // affine: one, or one per index of `axis`
  std::vector<int64_t> zero_point;  // affine: as many as scales
  std::vector<int> exponent;        // power_of_two: one, or one per index of `axis`
  int axis = 0;                     // meaningful where per_channel()

  static Quant affine(float scale, int64_t zero_point) {
    return {Scheme::affine, {scale}, {zero_point}, {}, 0};
  }
  static Quant power_of_two(int exponent) { return {Scheme::power_of_two, {}, {}, {exponent}, 0}; }

  bool present() const { return scheme != Scheme::none; }
  bool per_channel() const { return channels() > 1; }
  size_t channels() const {
    return scheme == Scheme::power_of_two ? exponent.size() : scale.size();
  }

  // Of one channel; a per-tensor quantization answers for every channel. 1 and 0 where absent.
  float scale_of(size_t channel) const {
    if (scheme == Scheme::power_of_two) {
      return std::ldexp(1.0F, exponent[exponent.size() > 1 ? channel : 0]);
    }
    return scale.empty() ? 1.0F : scale[scale.size() > 1 ? channel : 0];
  }
  int64_t zero_point_of(size_t channel) const {
    return zero_point.empty() ? 0 : zero_point[zero_point.size() > 1 ? channel : 0];
  }

  bool operator==(const Quant&) const = default;
};

// "scale 0.0078125 zero point -128", "256 scales along axis 0", "exponent -7"; "" if absent.
std::string to_string(const Quant& quant);

}  // namespace edgetwin
