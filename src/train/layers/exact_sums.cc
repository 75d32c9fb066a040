#include "train/layers/exact_sums.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::train {
namespace {

size_t taps_of(const Window& v) {
  return static_cast<size_t>(v.kernel.h) * static_cast<size_t>(v.kernel.w);
}

// Of a channel, and the bias.
int64_t terms_of(const LayerSpec& spec) {
  return static_cast<int64_t>(taps_of(spec.window)) * (spec.in_channels() / spec.window.groups) + 1;
}

bool on_grid(const Maps& maps) {
  return std::all_of(maps.values.begin(), maps.values.end(), [](float v) {
    const float units = v * kGrid;
    return std::abs(v) <= 1 && units == std::trunc(units);
  });
}

// A digit to the base 4 is at most 2: so many terms are exact.
constexpr int kFewestBits = 2;
constexpr int64_t kMostTerms = kExactMagnitudes / 2;

// One digit of all weights and biases, as the sum reads them.
struct Digit {
  Floats weights, bias;
  int32_t place = 1;  // what it counts
};

// Digit `index` of `count` to the base 2^bits: -2^(bits - 1) .. 2^(bits - 1) - 1, the last one what
// remains.
Floats digit_of(std::span<const float> values, float units, int bits, int index, int count) {
  const int32_t base = 1 << bits, half = base / 2;
  Floats result;
  result.reserve(values.size());
  for (const float v : values) {
    auto rest = static_cast<int32_t>(v * units);
    int32_t digit = rest;
    for (int k = 0; k <= index; ++k) {
      digit = k == count - 1 ? rest : ((rest + half) & (base - 1)) - half;
      rest = (rest - digit) / base;
    }
    result.push_back(static_cast<float>(digit) / units);
  }
  return result;
}

// Digits to the base 16, or to the base 4 where the sum of one of those could be rounded.
std::vector<Digit> digits_of(const LayerSpec& spec, const Tape& tape, int bits = 4) {
  constexpr int kValueBits = 8;
  const float units = tape.scale->units();
  std::vector<Digit> digits;
  const int count = kValueBits / bits;
  for (int i = 0; i < count; ++i) {
    digits.push_back({.weights = digit_of(tape.weights, units, bits, i, count),
                      .bias = digit_of(tape.bias, units, bits, i, count),
                      .place = 1 << (bits * i)});
    const Digit& d = digits.back();
    if (bits > kFewestBits && largest_magnitudes(spec, d.weights, d.bias, units) > kExactMagnitudes)
      return digits_of(spec, tape, kFewestBits);
  }
  return digits;
}

// Activation, scale, rounding and clamp of a sum in units of 1 / (128 * units).
struct Finish {
  const LayerSpec& spec;
  double unit;   // of the sums
  double scale;  // of the output

  float operator()(int32_t& sum, int8_t& factor) const {
    int sign = 1;
    if (spec.activation == ai8x::Activation::relu) {
      sign = sum > 0 ? 1 : 0;
      sum = std::max(sum, 0);
    } else if (spec.activation == ai8x::Activation::abs) {
      sign = (sum > 0 ? 1 : 0) - (sum < 0 ? 1 : 0);
      sum = std::abs(sum);
    }
    double v = sum * unit * scale;  // exact: both are powers of two
    if (!spec.wide) v = std::floor(v * kGrid + 0.5) / kGrid;
    const double low = spec.wide ? -kWideLimit : kLow, high = spec.wide ? kWideLimit : kHigh;
    factor = static_cast<int8_t>(v >= low && v <= high ? sign : 0);
    return static_cast<float>(std::clamp(v, low, high));
  }
};

}  // namespace

int64_t largest_magnitudes(const LayerSpec& spec, std::span<const float> weights,
                           std::span<const float> bias, float units) {
  const Window& v = spec.window;
  const size_t taps = taps_of(v);
  const auto each = static_cast<size_t>(v.second / v.groups);
  const auto firsts = static_cast<size_t>(v.first / v.groups);
  std::vector<double> sums(static_cast<size_t>(spec.out_channels()));
  for (size_t k = 0; k < weights.size(); ++k) {
    const size_t f = k / taps / each, s = k / taps % each;
    sums[spec.transposed() ? f / firsts * each + s : f] += std::abs(weights[k]);
  }
  for (size_t c = 0; c < bias.size(); ++c) sums[c] += std::abs(bias[c]);
  const double largest = sums.empty() ? 0 : *std::max_element(sums.begin(), sums.end());
  return static_cast<int64_t>(largest * units);
}

bool can_round(const LayerSpec& spec, const Maps& input, const Tape& tape) {
  if (!tape.scale) return false;
  const float units = tape.scale->units();
  const int64_t terms = terms_of(spec), limit = exact_magnitudes(spec.wide);
  // Most layers: without a look at the weights.
  if (terms * static_cast<int64_t>(units) <= limit || terms > kMostTerms) return false;
  return largest_magnitudes(spec, tape.weights, tape.bias, units) > limit && on_grid(input);
}

Maps forward_by_digits(const LayerSpec& spec, const Maps& input, Pair size, float scale, Tape& tape,
                       ThreadPool& pool) {
  const std::vector<Digit> digits = digits_of(spec, tape);
  IntMaps sums = IntMaps::unset(input.n, size.h, size.w, spec.out_channels());
  const float whole = kGrid * tape.scale->units();
  const Finish finish{.spec = spec, .unit = 1.0 / double{whole}, .scale = double{scale}};
  Maps output;
  for (size_t d = 0; d < digits.size(); ++d) {
    const ItemHook add = [&, d](Maps& maps, int first, int last) {
      const auto end = static_cast<size_t>(last * maps.item_size());
      for (auto i = static_cast<size_t>(first * maps.item_size()); i < end; ++i) {
        const int32_t part = static_cast<int32_t>(maps.values[i] * whole) * digits[d].place;
        sums.values[i] = d == 0 ? part : sums.values[i] + part;
        if (d + 1 == digits.size()) maps.values[i] = finish(sums.values[i], tape.mask[i]);
      }
    };
    output = spec.transposed()
                 ? scatter(input, digits[d].weights, digits[d].bias, spec.window, size, pool, add)
                 : gather(input, digits[d].weights, digits[d].bias, spec.window, pool, add);
  }
  if (spec.wide) tape.sums = std::move(sums);
  return output;
}

}  // namespace edgetwin::train
