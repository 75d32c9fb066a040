#include "reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

#include "reference_math.h"

namespace edgetwin::digits {
namespace {

using Bytes = std::vector<std::int8_t>;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// The stored values an output may take: the fused activation in terms of the output's scale.
struct Limits {
  int low = -128;
  int high = 127;
};

Limits limits_of(Activation activation, Quant out) {
  const auto stored = [&](float real) {
    return out.zero_point + static_cast<int>(std::round(real / out.scale));
  };
  Limits limits;
  if (activation != Activation::kNone) limits.low = std::max(limits.low, stored(0.0f));
  if (activation == Activation::kRelu6) limits.high = std::min(limits.high, stored(6.0f));
  return limits;
}

std::int8_t clamp_to(Limits limits, int value) {
  return static_cast<std::int8_t>(std::clamp(value, limits.low, limits.high));
}

std::vector<Multiplier> output_multipliers(const Layer& layer, const QuantizedWeights& weights,
                                           Quant in, Quant out) {
  std::vector<Multiplier> multipliers;
  for (int c = 0; c < layer.out.c; ++c) {
    const float scale = weights.scale[at(c) % weights.scale.size()];
    // A dense layer with one scale rounds the product of the scales to float first; convolutions do
    // not.
    const double product = layer.kind == Kind::kFullyConnected
                               ? static_cast<double>(in.scale * scale)
                               : static_cast<double>(in.scale) * static_cast<double>(scale);
    multipliers.push_back(make_multiplier(product / static_cast<double>(out.scale)));
  }
  return multipliers;
}

// Calls visit(input offset, tap) for the taps of output (y, x) inside the picture; the others
// contribute nothing.
template <typename Visit>
void for_taps(const Layer& layer, int y, int x, Visit visit) {
  for (int tap_y = 0; tap_y < layer.kernel; ++tap_y) {
    for (int tap_x = 0; tap_x < layer.kernel; ++tap_x) {
      const int in_y = y * layer.stride - layer.pad_before + tap_y;
      const int in_x = x * layer.stride - layer.pad_before + tap_x;
      if (in_y < 0 || in_x < 0 || in_y >= layer.in.h || in_x >= layer.in.w) continue;
      visit((in_y * layer.in.w + in_x) * layer.in.c, tap_y * layer.kernel + tap_x);
    }
  }
}

// Calls compute(y, x, channel) for every output in storage order and collects the results.
template <typename Compute>
Bytes for_outputs(const Layer& layer, Compute compute) {
  Bytes out;
  out.reserve(at(layer.out.size()));
  for (int y = 0; y < layer.out.h; ++y) {
    for (int x = 0; x < layer.out.w; ++x) {
      for (int c = 0; c < layer.out.c; ++c) out.push_back(compute(y, x, c));
    }
  }
  return out;
}

// Convolution, depthwise convolution and dense layer: they differ only in which inputs meet which
// weights.
Bytes multiply_accumulate(const Layer& layer, const QuantizedWeights& weights, const Bytes& in,
                          Quant in_quant, Quant out_quant) {
  const std::vector<Multiplier> multipliers =
      output_multipliers(layer, weights, in_quant, out_quant);
  const Limits limits = limits_of(layer.activation, out_quant);
  const bool depthwise = layer.kind == Kind::kDepthwise;
  return for_outputs(layer, [&](int y, int x, int c) {
    std::int32_t sum = weights.bias[at(c)];
    for_taps(layer, y, x, [&](int in_at, int tap) {
      if (depthwise) {
        sum +=
            weights.weight[at(tap * layer.out.c + c)] * (in[at(in_at + c)] - in_quant.zero_point);
        return;
      }
      const int row = c * layer.fan_in() + tap * layer.in.c;
      for (int i = 0; i < layer.in.c; ++i) {
        sum += weights.weight[at(row + i)] * (in[at(in_at + i)] - in_quant.zero_point);
      }
    });
    return clamp_to(limits, apply(sum, multipliers[at(c)]) + out_quant.zero_point);
  });
}

Bytes add(const Layer& layer, const Bytes& a, const Bytes& b, Quant a_quant, Quant b_quant,
          Quant out_quant) {
  const double twice = 2.0 * static_cast<double>(std::max(a_quant.scale, b_quant.scale));
  const Multiplier a_multiplier = make_multiplier(static_cast<double>(a_quant.scale) / twice);
  const Multiplier b_multiplier = make_multiplier(static_cast<double>(b_quant.scale) / twice);
  const Multiplier out_multiplier =
      make_multiplier(twice / (1048576.0 * static_cast<double>(out_quant.scale)));
  const Limits limits = limits_of(layer.activation, out_quant);
  Bytes out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::int32_t left = apply((a[i] - a_quant.zero_point) * 1048576, a_multiplier);
    const std::int32_t right = apply((b[i] - b_quant.zero_point) * 1048576, b_multiplier);
    out[i] = clamp_to(limits, apply(left + right, out_multiplier) + out_quant.zero_point);
  }
  return out;
}

Bytes max_pool(const Layer& layer, const Bytes& in, Limits limits) {
  return for_outputs(layer, [&](int y, int x, int c) {
    int largest = -128;
    for_taps(layer, y, x,
             [&](int in_at, int) { largest = std::max<int>(largest, in[at(in_at + c)]); });
    return clamp_to(limits, largest);
  });
}

Bytes average_pool(const Layer& layer, const Bytes& in, Limits limits) {
  return for_outputs(layer, [&](int y, int x, int c) {
    int sum = 0;
    int count = 0;
    for_taps(layer, y, x, [&](int in_at, int) {
      sum += in[at(in_at + c)];
      ++count;
    });
    const int half = sum > 0 ? count / 2 : -(count / 2);
    return clamp_to(limits, (sum + half) / count);
  });
}

Bytes softmax(const Bytes& in, Quant in_quant) {
  const double real =
      std::min(static_cast<double>(in_quant.scale) * 67108864.0, 2147483647.0);  // to Q5.26
  const Multiplier multiplier = make_multiplier(real);
  const auto smallest = static_cast<int>(
      -std::floor(31.0 * 67108864.0 / static_cast<double>(std::int64_t{1} << multiplier.shift)));
  const int largest = *std::max_element(in.begin(), in.end());
  std::int32_t sum = 0;  // Q12.19; ten classes cannot overflow it
  for (const int x : in) {
    if (x - largest < smallest) continue;
    sum += divide_by_power(exp_of_negative(apply(x - largest, multiplier)), 12);
  }
  const int zeros = std::countl_zero(static_cast<std::uint32_t>(sum));
  const auto fraction =
      static_cast<std::int32_t>((static_cast<std::uint32_t>(sum) << zeros) - 0x80000000u);
  const std::int32_t inverse = reciprocal_of_one_plus(fraction);
  const int exponent = 12 - zeros + 31 - 8;
  Bytes out;
  for (const int x : in) {
    int value = 0;
    if (x - largest >= smallest) {
      const std::int32_t power = exp_of_negative(apply(x - largest, multiplier));
      value = divide_by_power(high_product(inverse, power), exponent);
    }
    out.push_back(clamp_to({}, value - 128));
  }
  return out;
}

Bytes run_layer(const QuantizedNet& net, std::size_t index, const QuantizedTensors& tensors) {
  const Layer& layer = net.layers[index];
  const Bytes& in = tensors[at(layer.input)];
  const Quant in_quant = net.quants[at(layer.input)];
  const Quant out_quant = net.quants[index + 1];
  switch (layer.kind) {
    case Kind::kConv:
    case Kind::kDepthwise:
    case Kind::kFullyConnected:
      return multiply_accumulate(layer, net.weights[index], in, in_quant, out_quant);
    case Kind::kAdd:
      return add(layer, in, tensors[at(layer.second_input)], in_quant,
                 net.quants[at(layer.second_input)], out_quant);
    case Kind::kMaxPool:
      return max_pool(layer, in, limits_of(layer.activation, out_quant));
    case Kind::kAveragePool:
      return average_pool(layer, in, limits_of(layer.activation, out_quant));
    case Kind::kReshape:
      return in;
    case Kind::kSoftmax:
      return softmax(in, in_quant);
  }
  return {};
}

}  // namespace

QuantizedTensors run_reference(const QuantizedNet& net, const Picture& picture) {
  QuantizedTensors tensors(1);
  for (const std::uint8_t grey : picture.grey) {
    tensors[0].push_back(static_cast<std::int8_t>(grey - 128));
  }
  for (std::size_t i = 0; i < net.layers.size(); ++i) tensors.push_back(run_layer(net, i, tensors));
  return tensors;
}

}  // namespace edgetwin::digits
