#include "formats/ai8x/parameter_parts.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::ai8x {

Finding& ParameterFindings::put(Severity severity, ErrorCode code, std::optional<size_t> layer,
                                std::string entry, std::string message) {
  Finding out = finding_of(Error(code, std::move(message)), severity);
  out.place.file = file_;
  out.place.field = std::move(entry);
  if (layer) {
    out.place.layer = layer_name(network_, *layer);
    const Mark mark = network_.layers[*layer].mark;
    if (mark) {
      out.details.push_back("the layer begins at " + network_.file + ":" +
                            std::to_string(mark.line));
    }
  }
  report_.findings.push_back(std::move(out));
  return report_.findings.back();
}

namespace {

template <class T>
void convert(std::span<const T> in, Whole& out) {
  bool fractions = false;
  bool outside = false;
  int32_t low = out.values.empty() ? 0 : INT32_MAX;
  int32_t high = out.values.empty() ? 0 : INT32_MIN;
  for (size_t i = 0; i < in.size(); ++i) {
    int32_t value = 0;
    if constexpr (std::is_floating_point_v<T>) {
      const bool inside = std::abs(in[i]) < static_cast<T>(2e9);  // false for NaN
      value = inside ? static_cast<int32_t>(in[i]) : 0;
      outside |= !inside;
      fractions |= static_cast<T>(value) != in[i];
    } else {
      const auto wide = static_cast<int64_t>(in[i]);
      outside |= wide < INT32_MIN || wide > INT32_MAX;
      value = static_cast<int32_t>(wide);
    }
    out.values[i] = value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  out.low = low;
  out.high = high;
  out.fractions = fractions;
  out.outside = outside;
}

// Types that are only kept as bytes have no numbers.
template <class T>
void convert_tensor(const Tensor& tensor, Whole& out) {
  if constexpr (std::is_arithmetic_v<T>) {
    convert(tensor.as<T>(), out);
  } else {
    out.outside = true;
  }
}

}  // namespace

Whole to_whole(const Tensor& tensor) {
  Whole out;
  out.values.resize(static_cast<size_t>(tensor.shape.elements()));
  switch (tensor.dtype) {
#define DTYPE(name, bits, npy, type)   \
  case DType::name:                    \
    convert_tensor<type>(tensor, out); \
    break;
#include "tensor/dtype.def"
#undef DTYPE
  }
  return out;
}

bool without_bias(const ParameterOptions& options, size_t layer) {
  return options.no_bias || std::find(options.no_bias_layers.begin(), options.no_bias_layers.end(),
                                      static_cast<int>(layer)) != options.no_bias_layers.end();
}

bool check_bits(const Whole& weights, int quantization, size_t layer, const std::string& entry,
                ParameterFindings& findings) {
  int64_t low = -1;
  int64_t high = 1;
  bool fits = true;
  if (quantization == kBinary) {
    fits = std::all_of(weights.values.begin(), weights.values.end(),
                       [](int32_t v) { return v == 1 || v == -1; });
  } else {
    low = -(int64_t{1} << (quantization - 1));
    high = -low - 1;
    fits = weights.low >= low && weights.high <= high;
  }
  if (fits) return true;
  const std::string bits =
      quantization == kBinary ? "binary" : std::to_string(quantization) + "-bit";
  findings.error(
      ErrorCode::ai8x_bits, layer, entry,
      "the weights are " + std::to_string(weights.low) + " to " + std::to_string(weights.high) +
          "; " + bits + " weights are " +
          (quantization == kBinary ? std::string("-1 or +1")
                                   : std::to_string(low) + " to " + std::to_string(high)));
  return false;
}

namespace {

// From (in, out, y, x) to (out, in, y, x), each kernel turned by 180 degrees.
void copy_turned(const Shape& shape, const std::vector<int32_t>& from, std::vector<int8_t>& to) {
  const int64_t in = shape[0];
  const int64_t out = shape[1];
  const int64_t kernel = shape[2] * shape[3];
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      for (int64_t k = 0; k < kernel; ++k) {
        to[static_cast<size_t>((o * in + i) * kernel + k)] =
            static_cast<int8_t>(from[static_cast<size_t>((i * out + o) * kernel + kernel - 1 - k)]);
      }
    }
  }
}

std::string kernel_text(const Layer& layer, const Size2& kernel) {
  if (layer.op == Operator::conv1d && kernel.w == 1) return std::to_string(kernel.h);
  return std::to_string(kernel.h) + "x" + std::to_string(kernel.w);
}

}  // namespace

bool fill_weights(const Layer& layer, size_t index, const Shape& shape, const Whole& weights,
                  bool turn, LayerParameters& out, ParameterFindings& findings) {
  const bool transposed = layer.op == Operator::conv_transpose2d;
  if (shape.rank() < 2 || shape.rank() > 4 || shape.elements() == 0 ||
      (transposed && shape.rank() != 4)) {
    findings.error(ErrorCode::ai8x_weight_shape, index, out.source,
                   "the weights have the shape " + to_string(shape) + "; " +
                       (transposed ? "convtranspose2d has 4 dimensions"
                                   : "weights have 2, 3 or 4 dimensions, none of them 0"));
    return false;
  }
  const auto part = [&shape](int axis) {
    return axis < shape.rank() ? static_cast<int>(shape[axis]) : 1;
  };
  out.kernel = {part(2), part(3)};
  if (!(out.kernel == layer.kernel)) {
    findings
        .error(ErrorCode::ai8x_kernel, index, out.source,
               "the weights have a kernel of " + kernel_text(layer, out.kernel) +
                   ", the layer has " + kernel_text(layer, layer.kernel))
        .details.push_back("weights of the shape " + to_string(shape) + " met a " +
                           std::string(name(layer.op)) + " layer");
    return false;
  }
  // Stored channels of one group; a transposed convolution has its groups at the outputs.
  const int rows = turn ? part(1) : part(0);
  const int columns = turn ? part(0) : part(1);
  const int groups = layer.groups;
  out.out_channels = rows * (transposed ? groups : 1);
  out.in_channels = columns * (transposed ? 1 : groups);
  if (out.in_channels % groups != 0) {
    findings.error(ErrorCode::ai8x_weight_shape, index, out.source,
                   std::to_string(out.in_channels) + " input channels cannot be divided into " +
                       std::to_string(groups) + " groups");
    return false;
  }
  out.out = out.out_channels;
  out.in = out.in_channels / groups;
  out.weights.resize(weights.values.size());
  if (turn) {
    copy_turned(shape, weights.values, out.weights);
  } else {
    std::transform(weights.values.begin(), weights.values.end(), out.weights.begin(),
                   [](int32_t v) { return static_cast<int8_t>(v); });
  }
  return true;
}

void finish_layers(const Network& network, Parameters& parameters, ParameterFindings& findings) {
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    LayerParameters& own = parameters.layers[i];
    if (layer.takes_weights()) continue;
    own.output_shift = layer.output_shift;
    if (layer.op == Operator::none || layer.bypass || !layer.weight_source) continue;
    const auto source = static_cast<size_t>(*layer.weight_source);
    if (source >= i || !parameters.layers[source].has_weights()) {
      findings.error(ErrorCode::ai8x_weight_source, i, "",
                     "its weight_source, " + layer_name(network, source) +
                         (source >= i ? ", comes after it" : ", has no weights"));
      continue;
    }
    own = parameters.layers[source];
    if (!(own.kernel == layer.kernel)) {
      findings.error(ErrorCode::ai8x_kernel, i, own.source,
                     "the weights of " + layer_name(network, source) + " have a kernel of " +
                         kernel_text(layer, own.kernel) + ", the layer has " +
                         kernel_text(layer, layer.kernel));
    }
  }
}

}  // namespace edgetwin::ai8x
