#include "train/layers/integer.h"

#include "numerics/rounding.h"

namespace edgetwin::train {
namespace {

constexpr int32_t kLowest = -128, kHighest = 127;
constexpr int kOutputBits = 7;  // an 8-bit output is the sum divided by 2^7

int32_t mean_of(int32_t sum, int32_t count, bool rounds) {
  if (!rounds) return sum / count;
  const int32_t twice = 2 * sum + count;  // floor(sum / count + 1/2), ties then made even
  int32_t mean = twice >= 0 ? twice / (2 * count) : -((-twice + 2 * count - 1) / (2 * count));
  if (twice == mean * 2 * count && mean % 2 != 0) --mean;
  return mean;
}

IntMaps integer_pool(const LayerSpec& spec, const IntMaps& input) {
  const PoolWindow& v = spec.pool;
  const Pair size = v.output_of({input.h, input.w});
  IntMaps output(input.n, size.h, size.w, input.c);
  const bool largest = spec.pooling == ai8x::Pooling::max;
  for (int64_t i = 0; i < output.size(); ++i) {
    const auto c = static_cast<int>(i % output.c);
    const auto x = static_cast<int>(i / output.c % size.w);
    const auto y = static_cast<int>(i / output.c / size.w % size.h);
    const auto item = static_cast<int>(i / output.item_size());
    int32_t value = largest ? kLowest : 0;
    for (int ky = 0; ky < v.size.h; ++ky) {
      for (int kx = 0; kx < v.size.w; ++kx) {
        const int32_t in = input.at(item, y * v.stride.h + ky * v.dilation.h,
                                    x * v.stride.w + kx * v.dilation.w)[c];
        value = largest ? std::max(value, in) : value + in;
      }
    }
    if (!largest) value = mean_of(value, v.size.h * v.size.w, spec.average_rounding);
    output.values[static_cast<size_t>(i)] = std::clamp(value, kLowest, kHighest);
  }
  return output;
}

int32_t integer_pair(ai8x::Eltwise eltwise, int32_t a, int32_t b) {
  switch (eltwise) {
    case ai8x::Eltwise::sub:
      return a - b;
    case ai8x::Eltwise::bitwise_or:
      return a | b;
    case ai8x::Eltwise::bitwise_xor:
      return a ^ b;
    default:
      return a + b;
  }
}

IntMaps integer_input(const LayerSpec& spec, std::span<const IntMaps* const> sources) {
  const bool pools = spec.pooling != ai8x::Pooling::none;
  const bool first = pools && (spec.pool_first || sources.size() == 1);
  IntMaps result = first ? integer_pool(spec, *sources[0]) : *sources[0];
  if (spec.eltwise == ai8x::Eltwise::none) return result;
  for (const IntMaps* source : sources.subspan(1)) {
    const IntMaps operand = first ? integer_pool(spec, *source) : *source;
    for (size_t i = 0; i < result.values.size(); ++i) {
      result.values[i] = integer_pair(spec.eltwise, result.values[i], operand.values[i]);
    }
  }
  for (int32_t& v : result.values) v = std::clamp(v, kLowest, kHighest);
  return pools && !first ? integer_pool(spec, result) : result;
}

int32_t finished(int32_t sum, const LayerSpec& spec, int exponent) {
  int64_t v = sum;
  if (spec.activation == ai8x::Activation::relu) v = std::max<int64_t>(v, 0);
  if (spec.activation == ai8x::Activation::abs) v = v < 0 ? -v : v;
  if (spec.wide) return static_cast<int32_t>(v);
  v = numerics::half_up_shift(v * (int64_t{1} << std::max(exponent, 0)),
                              kOutputBits - std::min(exponent, 0));
  return static_cast<int32_t>(std::clamp<int64_t>(v, kLowest, kHighest));
}

}  // namespace

IntMaps integer_forward(const LayerSpec& spec, std::span<const IntMaps* const> sources,
                        const IntegerParameters& parameters, ThreadPool& pool) {
  IntMaps input = integer_input(spec, sources);
  if (spec.flatten) input = viewed(input, 1, 1);
  if (!spec.has_weights()) return input;
  std::vector<int32_t> bias;
  for (const int32_t b : parameters.bias) bias.push_back(b * static_cast<int32_t>(kGrid));
  const Pair size = spec.transposed() ? spec.output_of({sources[0]->h, sources[0]->w}) : Pair{};
  IntMaps output = spec.transposed()
                       ? scatter(input, parameters.weights, bias, spec.window, size, pool)
                       : gather(input, parameters.weights, bias, spec.window, pool);
  const int exponent = parameters.shift + 8 - parameters.bits;
  for (int32_t& v : output.values) v = finished(v, spec, exponent);
  return output;
}

}  // namespace edgetwin::train
