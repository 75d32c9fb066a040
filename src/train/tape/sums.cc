// Conv (groups, strides, dilation, any pads; one- and two-dimensional), Gemm and MatMul.
#include <algorithm>

#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

struct Window {
  int64_t items, channels, in_h, in_w, out_channels, out_h, out_w;
  int64_t kernel_h, kernel_w, per_group;  // input channels of a group
  int64_t stride_h, stride_w, dilation_h, dilation_w, top, left;
};

// The outputs x for which x * stride + offset lies within 0 .. size - 1.
std::pair<int64_t, int64_t> inside(int64_t offset, int64_t stride, int64_t size, int64_t outputs) {
  const int64_t first = offset >= 0 ? 0 : (-offset + stride - 1) / stride;
  const int64_t end = offset >= size ? 0 : (size - 1 - offset) / stride + 1;
  return {first, std::clamp<int64_t>(end, first, std::max(outputs, first))};
}

class Convolution : public Step {
 public:
  explicit Convolution(const Window& w) : w_(w) {}

  void forward(Operands in, Numbers& out) const override {
    const int64_t plane = w_.out_h * w_.out_w;
    for (int64_t o = 0; o < w_.items * w_.out_channels; ++o) {
      const double start = in.size() > 2 ? (*in[2])[static_cast<size_t>(o % w_.out_channels)] : 0;
      std::fill_n(out.begin() + o * plane, plane, start);
    }
    const double* x = in[0]->data();
    const double* weights = in[1]->data();
    double* y = out.data();
    each_row([&](int64_t weight, int64_t from, int64_t to, int64_t count) {
      const double factor = weights[weight];
      const double* a = x + from;
      double* b = y + to;
      if (w_.stride_w == 1) {
        for (int64_t i = 0; i < count; ++i) b[i] += factor * a[i];
      } else {
        for (int64_t i = 0; i < count; ++i) b[i] += factor * a[i * w_.stride_w];
      }
    });
  }

  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] != nullptr) to_input(*in[1], gradient, *to[0]);
    if (to[1] != nullptr) to_weights(*in[0], gradient, *to[1]);
    if (to.size() < 3 || to[2] == nullptr) return;
    const int64_t plane = w_.out_h * w_.out_w;
    for (int64_t o = 0; o < w_.items * w_.out_channels; ++o) {
      double sum = 0;
      for (int64_t i = 0; i < plane; ++i) sum += gradient[static_cast<size_t>(o * plane + i)];
      (*to[2])[static_cast<size_t>(o % w_.out_channels)] += sum;
    }
  }

 private:
  void to_input(const Numbers& weights, const Numbers& gradient, Numbers& x) const {
    each_row([&](int64_t weight, int64_t from, int64_t to, int64_t count) {
      const double factor = weights[static_cast<size_t>(weight)];
      double* a = x.data() + from;
      const double* g = gradient.data() + to;
      if (w_.stride_w == 1) {
        for (int64_t i = 0; i < count; ++i) a[i] += factor * g[i];
      } else {
        for (int64_t i = 0; i < count; ++i) a[i * w_.stride_w] += factor * g[i];
      }
    });
  }

  void to_weights(const Numbers& x, const Numbers& gradient, Numbers& weights) const {
    each_row([&](int64_t weight, int64_t from, int64_t to, int64_t count) {
      const double* a = x.data() + from;
      const double* g = gradient.data() + to;
      // Four chains, in this order on every machine.
      double sums[4] = {};
      int64_t i = 0;
      for (; i + 4 <= count; i += 4) {
        for (int64_t k = 0; k < 4; ++k) sums[k] += a[(i + k) * w_.stride_w] * g[i + k];
      }
      for (; i < count; ++i) sums[0] += a[i * w_.stride_w] * g[i];
      weights[static_cast<size_t>(weight)] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
    });
  }

  // Calls body(weight, first input, first output, count) for each weight and row of outputs.
  template <class Body>
  void each_row(const Body& body) const {
    const int64_t outputs_per_group = w_.out_channels / (w_.channels / w_.per_group);
    for (int64_t n = 0; n < w_.items; ++n) {
      for (int64_t o = 0; o < w_.out_channels; ++o) {
        const int64_t first = o / outputs_per_group * w_.per_group;
        for (int64_t c = 0; c < w_.per_group; ++c) {
          channel(n * w_.out_channels + o, n * w_.channels + first + c, o * w_.per_group + c, body);
        }
      }
    }
  }

  template <class Body>
  void channel(int64_t out_plane, int64_t in_plane, int64_t kernel, const Body& body) const {
    for (int64_t ky = 0; ky < w_.kernel_h; ++ky) {
      const int64_t down = ky * w_.dilation_h - w_.top;
      const auto [y0, y1] = inside(down, w_.stride_h, w_.in_h, w_.out_h);
      for (int64_t kx = 0; kx < w_.kernel_w; ++kx) {
        const int64_t right = kx * w_.dilation_w - w_.left;
        const auto [x0, x1] = inside(right, w_.stride_w, w_.in_w, w_.out_w);
        if (x0 >= x1) continue;
        const int64_t weight = (kernel * w_.kernel_h + ky) * w_.kernel_w + kx;
        for (int64_t y = y0; y < y1; ++y) {
          const int64_t row = in_plane * w_.in_h + y * w_.stride_h + down;
          body(weight, row * w_.in_w + x0 * w_.stride_w + right,
               (out_plane * w_.out_h + y) * w_.out_w + x0, x1 - x0);
        }
      }
    }
  }

  Window w_;
};

MadeStep make_convolution(const Graph& graph, const Op& op) {
  const Shape& x = graph.value(op.inputs[0]).shape;
  const Shape& f = graph.value(op.inputs[1]).shape;
  const Shape& y = graph.value(op.outputs[0]).shape;
  const auto& a = op.as<Conv2DAttrs>();
  if (x.rank() != f.rank() || x.rank() < 3 || x.rank() > 4) return nullptr;
  const bool flat = x.rank() == 3;
  Window w{};
  w.items = x[0];
  w.channels = x[1];
  w.in_h = flat ? 1 : x[2];
  w.in_w = x.back(0);
  w.out_channels = f[0];
  w.out_h = flat ? 1 : y[2];
  w.out_w = y.back(0);
  w.per_group = f[1];
  w.kernel_h = flat ? 1 : f[2];
  w.kernel_w = f.back(0);
  w.stride_h = std::max(a.stride_h, 1);
  w.stride_w = std::max(a.stride_w, 1);
  w.dilation_h = std::max(a.dilation_h, 1);
  w.dilation_w = std::max(a.dilation_w, 1);
  w.top = a.padding.top;
  w.left = a.padding.left;
  return std::make_unique<Convolution>(w);
}

// y[m, n] = sum x[m, k] w[n, k] + b[n]
class Dense : public Step {
 public:
  Dense(size_t rows, size_t inputs, size_t outputs)
      : rows_(rows), inputs_(inputs), outputs_(outputs) {}

  void forward(Operands in, Numbers& out) const override {
    for (size_t m = 0; m < rows_; ++m) {
      for (size_t n = 0; n < outputs_; ++n) {
        const double* x = in[0]->data() + m * inputs_;
        const double* w = in[1]->data() + n * inputs_;
        double sum = in.size() > 2 ? (*in[2])[n] : 0;
        for (size_t k = 0; k < inputs_; ++k) sum += x[k] * w[k];
        out[m * outputs_ + n] = sum;
      }
    }
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    for (size_t m = 0; m < rows_; ++m) {
      for (size_t n = 0; n < outputs_; ++n) {
        const double g = gradient[m * outputs_ + n];
        for (size_t k = 0; k < inputs_ && to[0] != nullptr; ++k) {
          (*to[0])[m * inputs_ + k] += g * (*in[1])[n * inputs_ + k];
        }
        for (size_t k = 0; k < inputs_ && to[1] != nullptr; ++k) {
          (*to[1])[n * inputs_ + k] += g * (*in[0])[m * inputs_ + k];
        }
        if (to.size() > 2 && to[2] != nullptr) (*to[2])[n] += g;
      }
    }
  }

 private:
  size_t rows_, inputs_, outputs_;
};

MadeStep make_dense(const Graph& graph, const Op& op) {
  const Shape& x = graph.value(op.inputs[0]).shape;
  const Shape& w = graph.value(op.inputs[1]).shape;
  if (w.rank() != 2 || x.back(0) != w[1]) return nullptr;
  return std::make_unique<Dense>(static_cast<size_t>(x.elements() / w[1]),
                                 static_cast<size_t>(w[1]), static_cast<size_t>(w[0]));
}

// Matrices m x k by k x n; for each product the first elements of its three matrices.
class MatrixProduct : public Step {
 public:
  struct Pair {
    size_t a, b, y;
  };
  MatrixProduct(size_t m, size_t k, size_t n, std::vector<Pair> pairs)
      : m_(m), k_(k), n_(n), pairs_(std::move(pairs)) {}

  void forward(Operands in, Numbers& out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    each([&](size_t a, size_t b, size_t y) { out[y] += (*in[0])[a] * (*in[1])[b]; });
  }
  void backward(Operands in, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    each([&](size_t a, size_t b, size_t y) {
      if (to[0] != nullptr) (*to[0])[a] += gradient[y] * (*in[1])[b];
      if (to[1] != nullptr) (*to[1])[b] += gradient[y] * (*in[0])[a];
    });
  }

 private:
  template <class Body>
  void each(const Body& body) const {
    for (const Pair& p : pairs_) {
      for (size_t i = 0; i < m_; ++i) {
        for (size_t k = 0; k < k_; ++k) {
          for (size_t j = 0; j < n_; ++j)
            body(p.a + i * k_ + k, p.b + k * n_ + j, p.y + i * n_ + j);
        }
      }
    }
  }

  size_t m_, k_, n_;
  std::vector<Pair> pairs_;
};

// Which matrix of an operand stands for matrix `at` of the result.
size_t matrix_of(const Shape& operand, const Shape& batch, int64_t at) {
  int64_t from = 0;
  int64_t stride = 1;
  for (int i = 0; i < batch.rank(); ++i) {
    const int64_t place = at % batch.back(i);
    at /= batch.back(i);
    const int64_t size = operand.back(i + 2);
    if (size != 1) from += place * stride;
    stride *= size;
  }
  return static_cast<size_t>(from);
}

MadeStep make_product(const Graph& graph, const Op& op) {
  const Shape& a = graph.value(op.inputs[0]).shape;
  const Shape& b = graph.value(op.inputs[1]).shape;
  if (a.rank() < 1 || b.rank() < 1) return nullptr;
  if (op.as<MatMulAttrs>().rhs_order != MatMulAttrs::Order::rows) return nullptr;
  const auto m = static_cast<size_t>(a.rank() == 1 ? 1 : a.back(1));
  const auto k = static_cast<size_t>(a.back(0));
  const auto n = static_cast<size_t>(b.rank() == 1 ? 1 : b.back(0));
  const auto first = [](const Shape& s) {
    return Shape(s.dims().first(static_cast<size_t>(std::max(0, s.rank() - 2))));
  };
  const auto batch = broadcast(first(a), first(b));
  if (!batch) return nullptr;
  std::vector<MatrixProduct::Pair> pairs;
  for (int64_t i = 0; i < batch->elements(); ++i) {
    pairs.push_back({matrix_of(a, *batch, i) * m * k, matrix_of(b, *batch, i) * k * n,
                     static_cast<size_t>(i) * m * n});
  }
  return std::make_unique<MatrixProduct>(m, k, n, std::move(pairs));
}

}  // namespace

MadeStep make_sum(const Graph& graph, const Op& op) {
  switch (op.kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
      return make_convolution(graph, op);
    case OpKind::fully_connected:
      return make_dense(graph, op);
    case OpKind::matmul:
      return make_product(graph, op);
    default:
      return nullptr;
  }
}

}  // namespace edgetwin::train
