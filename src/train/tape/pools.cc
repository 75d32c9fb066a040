// MaxPool and AveragePool, one- and two-dimensional.
#include <algorithm>
#include <limits>

#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

struct PoolWindow {
  int64_t planes, in_h, in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, top, left;
  int64_t padded_h, padded_w;  // where the padding ends that counts
  bool average, count_padding;
};

class Pool : public Step {
 public:
  explicit Pool(const PoolWindow& w) : w_(w) {}

  void forward(Operands in, Numbers& out) const override {
    size_t at = 0;
    each([&](int64_t base, int64_t oy, int64_t ox) {
      double largest = -std::numeric_limits<double>::infinity();
      double sum = 0;
      taps(base, oy, ox, [&](size_t from) {
        largest = std::max(largest, (*in[0])[from]);
        sum += (*in[0])[from];
      });
      out[at++] = w_.average ? sum / divisor(oy, ox) : largest;
    });
  }
  void backward(Operands in, const Numbers& out, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    size_t at = 0;
    each([&](int64_t base, int64_t oy, int64_t ox) {
      const double g = w_.average ? gradient[at] / divisor(oy, ox) : gradient[at];
      const double largest = out[at++];
      bool given = false;
      taps(base, oy, ox, [&](size_t from) {
        if (!w_.average && (given || (*in[0])[from] != largest)) return;
        (*to[0])[from] += g;
        given = true;
      });
    });
  }

 private:
  template <class Body>
  void each(const Body& body) const {
    for (int64_t p = 0; p < w_.planes; ++p) {
      for (int64_t y = 0; y < w_.out_h; ++y) {
        for (int64_t x = 0; x < w_.out_w; ++x) body(p * w_.in_h * w_.in_w, y, x);
      }
    }
  }
  template <class Body>
  void taps(int64_t base, int64_t oy, int64_t ox, const Body& body) const {
    for (int64_t ky = 0; ky < w_.kernel_h; ++ky) {
      const int64_t y = oy * w_.stride_h - w_.top + ky;
      if (y < 0 || y >= w_.in_h) continue;
      for (int64_t kx = 0; kx < w_.kernel_w; ++kx) {
        const int64_t x = ox * w_.stride_w - w_.left + kx;
        if (x >= 0 && x < w_.in_w) body(static_cast<size_t>(base + y * w_.in_w + x));
      }
    }
  }
  static int64_t covered(int64_t begin, int64_t kernel, int64_t low, int64_t high) {
    return std::max<int64_t>(0, std::min(begin + kernel, high) - std::max(begin, low));
  }
  double divisor(int64_t oy, int64_t ox) const {
    const int64_t y = oy * w_.stride_h - w_.top;
    const int64_t x = ox * w_.stride_w - w_.left;
    const int64_t rows = w_.count_padding ? covered(y, w_.kernel_h, y, w_.padded_h)
                                          : covered(y, w_.kernel_h, 0, w_.in_h);
    const int64_t columns = w_.count_padding ? covered(x, w_.kernel_w, x, w_.padded_w)
                                             : covered(x, w_.kernel_w, 0, w_.in_w);
    return static_cast<double>(std::max<int64_t>(1, rows * columns));
  }

  PoolWindow w_;
};

}  // namespace

MadeStep make_pool(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::max_pool_2d && op.kind != OpKind::average_pool_2d) return nullptr;
  const Shape& x = graph.value(op.inputs[0]).shape;
  const Shape& y = graph.value(op.outputs[0]).shape;
  if (x.rank() < 3 || x.rank() > 4) return nullptr;
  const bool flat = x.rank() == 3;
  const auto& a = op.as<PoolAttrs>();
  PoolWindow w{};
  w.planes = x[0] * x[1];
  w.in_h = flat ? 1 : x[2];
  w.in_w = x.back(0);
  w.out_h = flat ? 1 : y[2];
  w.out_w = y.back(0);
  w.kernel_h = a.filter_h == 0 ? w.in_h : a.filter_h;  // 0: the whole picture
  w.kernel_w = a.filter_w == 0 ? w.in_w : a.filter_w;
  w.stride_h = std::max(a.stride_h, 1);
  w.stride_w = std::max(a.stride_w, 1);
  w.top = a.padding.top;
  w.left = a.padding.left;
  w.padded_h = w.in_h + a.padding.bottom;
  w.padded_w = w.in_w + a.padding.right;
  w.average = op.kind == OpKind::average_pool_2d;
  w.count_padding = a.count_padding;
  return std::make_unique<Pool>(w);
}

}  // namespace edgetwin::train
