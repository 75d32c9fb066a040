// Inner loops run over channels, which are independent sums: the compiler may vectorize them
// without changing the order of any addition.

#include "layers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace edgetwin::digits {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

// Calls visit(output offset, input offset, tap) for every tap inside the picture, output by output.
template <typename Visit>
void for_each_tap(const Layer& layer, Visit visit) {
  for (int y = 0; y < layer.out.h; ++y) {
    for (int x = 0; x < layer.out.w; ++x) {
      const int out = (y * layer.out.w + x) * layer.out.c;
      for (int tap = 0; tap < layer.kernel * layer.kernel; ++tap) {
        const int in_y = y * layer.stride - layer.pad_before + tap / layer.kernel;
        const int in_x = x * layer.stride - layer.pad_before + tap % layer.kernel;
        if (in_y < 0 || in_x < 0 || in_y >= layer.in.h || in_x >= layer.in.w) continue;
        visit(out, (in_y * layer.in.w + in_x) * layer.in.c, tap);
      }
    }
  }
}

// y += a * x
void add_scaled(float a, const float* __restrict x, float* __restrict y, int count) {
  for (int i = 0; i < count; ++i) y[i] += a * x[i];
}

// y += a * b, element by element
void add_product(const float* __restrict a, const float* __restrict b, float* __restrict y,
                 int count) {
  for (int i = 0; i < count; ++i) y[i] += a[i] * b[i];
}

float dot(const float* a, const float* b, int count) {
  float sum[4] = {0.0f, 0.0f, 0.0f,
                  0.0f};  // four sums in a fixed order: shorter chains of additions
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    for (int lane = 0; lane < 4; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < count; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void fill_bias(const Layer& layer, const Parameters& parameters, std::vector<float>& out) {
  for (int i = 0; i < layer.out.h * layer.out.w; ++i) {
    std::copy(parameters.bias.begin(), parameters.bias.end(), out.begin() + i * layer.out.c);
  }
}

void conv_forward(const Layer& layer, const Parameters& parameters, const std::vector<float>& in,
                  std::vector<float>& out) {
  fill_bias(layer, parameters, out);
  const int block = layer.in.c * layer.out.c;
  for_each_tap(layer, [&](int out_at, int in_at, int tap) {
    for (int c = 0; c < layer.in.c; ++c) {
      const float x = in[at(in_at + c)];
      if (x == 0.0f) continue;  // common behind a ReLU
      add_scaled(x, &parameters.weight[at(tap * block + c * layer.out.c)], &out[at(out_at)],
                 layer.out.c);
    }
  });
}

void conv_backward(const Layer& layer, const Parameters& parameters, const std::vector<float>& in,
                   const std::vector<float>& out_gradient, std::vector<float>& in_gradient,
                   Parameters& sums) {
  const int block = layer.in.c * layer.out.c;
  for_each_tap(layer, [&](int out_at, int in_at, int tap) {
    const float* gradient = &out_gradient[at(out_at)];
    for (int c = 0; c < layer.in.c; ++c) {
      const int row = tap * block + c * layer.out.c;
      in_gradient[at(in_at + c)] += dot(gradient, &parameters.weight[at(row)], layer.out.c);
      const float x = in[at(in_at + c)];
      if (x != 0.0f) add_scaled(x, gradient, &sums.weight[at(row)], layer.out.c);
    }
  });
}

void depthwise_forward(const Layer& layer, const Parameters& parameters,
                       const std::vector<float>& in, std::vector<float>& out) {
  fill_bias(layer, parameters, out);
  for_each_tap(layer, [&](int out_at, int in_at, int tap) {
    add_product(&in[at(in_at)], &parameters.weight[at(tap * layer.out.c)], &out[at(out_at)],
                layer.out.c);
  });
}

void depthwise_backward(const Layer& layer, const Parameters& parameters,
                        const std::vector<float>& in, const std::vector<float>& out_gradient,
                        std::vector<float>& in_gradient, Parameters& sums) {
  for_each_tap(layer, [&](int out_at, int in_at, int tap) {
    const float* gradient = &out_gradient[at(out_at)];
    const int row = tap * layer.out.c;
    add_product(gradient, &parameters.weight[at(row)], &in_gradient[at(in_at)], layer.out.c);
    add_product(gradient, &in[at(in_at)], &sums.weight[at(row)], layer.out.c);
  });
}

void max_pool_forward(const Layer& layer, const std::vector<float>& in, std::vector<float>& out) {
  std::fill(out.begin(), out.end(), -1e30f);
  for_each_tap(layer, [&](int out_at, int in_at, int) {
    for (int c = 0; c < layer.out.c; ++c) {
      out[at(out_at + c)] = std::max(out[at(out_at + c)], in[at(in_at + c)]);
    }
  });
}

// The gradient goes to the first tap that holds the maximum.
void max_pool_backward(const Layer& layer, const std::vector<float>& in,
                       const std::vector<float>& out, std::vector<float>& out_gradient,
                       std::vector<float>& in_gradient) {
  for_each_tap(layer, [&](int out_at, int in_at, int) {
    for (int c = 0; c < layer.out.c; ++c) {
      if (in[at(in_at + c)] != out[at(out_at + c)]) continue;
      in_gradient[at(in_at + c)] += out_gradient[at(out_at + c)];
      out_gradient[at(out_at + c)] = 0.0f;
    }
  });
}

// Windows lie inside the picture (the topology divides evenly), so each has kernel * kernel taps.
float share(const Layer& layer) { return 1.0f / static_cast<float>(layer.kernel * layer.kernel); }

void average_pool_forward(const Layer& layer, const std::vector<float>& in,
                          std::vector<float>& out) {
  std::fill(out.begin(), out.end(), 0.0f);
  for_each_tap(layer, [&](int out_at, int in_at, int) {
    add_scaled(share(layer), &in[at(in_at)], &out[at(out_at)], layer.out.c);
  });
}

void average_pool_backward(const Layer& layer, const std::vector<float>& out_gradient,
                           std::vector<float>& in_gradient) {
  for_each_tap(layer, [&](int out_at, int in_at, int) {
    add_scaled(share(layer), &out_gradient[at(out_at)], &in_gradient[at(in_at)], layer.out.c);
  });
}

void softmax_forward(const std::vector<float>& in, std::vector<float>& out) {
  const float largest = *std::max_element(in.begin(), in.end());
  double sum = 0.0;
  for (const float x : in) sum += exact_exp(std::max(static_cast<double>(x - largest), -100.0));
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double x = std::max(static_cast<double>(in[i] - largest), -100.0);
    out[i] = static_cast<float>(exact_exp(x) / sum);
  }
}

void activate(Activation activation, std::vector<float>& out) {
  if (activation == Activation::kNone) return;
  const float top = activation == Activation::kRelu6 ? 6.0f : 1e30f;
  for (float& y : out) y = std::min(std::max(y, 0.0f), top);
}

void derive_activation(Activation activation, const std::vector<float>& out,
                       std::vector<float>& gradient) {
  if (activation == Activation::kNone) return;
  const float top = activation == Activation::kRelu6 ? 6.0f : 1e30f;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] <= 0.0f || out[i] >= top) gradient[i] = 0.0f;
  }
}

void sum_bias(const Layer& layer, const std::vector<float>& out_gradient, Parameters& sums) {
  for (int i = 0; i < layer.out.h * layer.out.w; ++i) {
    add_scaled(1.0f, &out_gradient[at(i * layer.out.c)], sums.bias.data(), layer.out.c);
  }
}

}  // namespace

double exact_exp(double x) {
  const double power = std::floor(x * 1.4426950408889634 + 0.5);
  const double rest = x - power * 0.6931471805599453;
  double sum = 1.0;  // Taylor series by Horner's rule; |rest| < 0.35, the remainder is below 1e-16
  for (int i = 13; i > 0; --i) sum = 1.0 + sum * rest / i;
  return std::ldexp(sum, static_cast<int>(power));
}

void layer_forward(const Layer& layer, const Parameters& parameters, const Tensors& tensors,
                   std::vector<float>& out) {
  const std::vector<float>& in = tensors[at(layer.input)];
  switch (layer.kind) {
    case Kind::kConv:
    case Kind::kFullyConnected:
      conv_forward(layer, parameters, in, out);
      break;
    case Kind::kDepthwise:
      depthwise_forward(layer, parameters, in, out);
      break;
    case Kind::kAdd:
      out = in;
      add_scaled(1.0f, tensors[at(layer.second_input)].data(), out.data(), layer.out.size());
      break;
    case Kind::kMaxPool:
      max_pool_forward(layer, in, out);
      break;
    case Kind::kAveragePool:
      average_pool_forward(layer, in, out);
      break;
    case Kind::kReshape:
      out = in;
      break;
    case Kind::kSoftmax:
      softmax_forward(in, out);
      break;
  }
  activate(layer.activation, out);
}

void layer_backward(const Layer& layer, const Parameters& parameters, const Tensors& tensors,
                    const std::vector<float>& out, std::vector<float>& out_gradient,
                    Tensors& gradients, Parameters& parameter_gradients) {
  const std::vector<float>& in = tensors[at(layer.input)];
  std::vector<float>& in_gradient = gradients[at(layer.input)];
  derive_activation(layer.activation, out, out_gradient);
  if (layer.has_weights()) sum_bias(layer, out_gradient, parameter_gradients);
  switch (layer.kind) {
    case Kind::kConv:
    case Kind::kFullyConnected:
      conv_backward(layer, parameters, in, out_gradient, in_gradient, parameter_gradients);
      break;
    case Kind::kDepthwise:
      depthwise_backward(layer, parameters, in, out_gradient, in_gradient, parameter_gradients);
      break;
    case Kind::kMaxPool:
      max_pool_backward(layer, in, out, out_gradient, in_gradient);
      break;
    case Kind::kAveragePool:
      average_pool_backward(layer, out_gradient, in_gradient);
      break;
    case Kind::kAdd:
      add_scaled(1.0f, out_gradient.data(), gradients[at(layer.second_input)].data(),
                 layer.out.size());
      [[fallthrough]];
    case Kind::kReshape:
      add_scaled(1.0f, out_gradient.data(), in_gradient.data(), layer.out.size());
      break;
    case Kind::kSoftmax:
      break;
  }
}

}  // namespace edgetwin::digits
