// Linear Resize: each result is a mean of up to four places, with the shares of the operator
// itself.
#include <algorithm>

#include "train/tape/makers.h"

namespace edgetwin::train {
namespace {

struct LinearTap {
  size_t a = 0, b = 0;
  double share = 0;  // of b
};

double source_of(const ScaleAttrs& a, int64_t o, int64_t in, int64_t out, double scale) {
  using Coordinates = ScaleAttrs::Coordinates;
  const auto x = static_cast<double>(o);
  if (a.align_corners) {
    return out > 1 ? x * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
  }
  if (a.coordinates == Coordinates::asymmetric) return x / scale;
  if (a.coordinates == Coordinates::pytorch_half_pixel && out <= 1) return 0;
  return (x + 0.5) / scale - 0.5;
}

std::vector<LinearTap> linear_taps(const ScaleAttrs& a, size_t axis, int64_t in, int64_t out) {
  const double scale = a.scales.empty() ? static_cast<double>(out) / static_cast<double>(in)
                                        : static_cast<double>(a.scales[axis]);
  std::vector<LinearTap> taps;
  for (int64_t o = 0; o < out; ++o) {
    const double x = std::clamp(source_of(a, o, in, out, scale), 0.0, static_cast<double>(in - 1));
    const auto at = static_cast<int64_t>(x);
    taps.push_back({static_cast<size_t>(at), static_cast<size_t>(std::min(at + 1, in - 1)),
                    x - static_cast<double>(at)});
  }
  return taps;
}

class LinearResize : public Step {
 public:
  LinearResize(size_t planes, size_t in_h, size_t in_w, std::vector<LinearTap> rows,
               std::vector<LinearTap> columns)
      : planes_(planes),
        in_h_(in_h),
        in_w_(in_w),
        rows_(std::move(rows)),
        columns_(std::move(columns)) {}

  void forward(Operands in, Numbers& out) const override {
    std::fill(out.begin(), out.end(), 0.0);
    each([&](size_t from, size_t to, double share) { out[to] += share * (*in[0])[from]; });
  }
  void backward(Operands, const Numbers&, const Numbers& gradient,
                std::span<Numbers* const> to) const override {
    if (to[0] == nullptr) return;
    each([&](size_t from, size_t at, double share) { (*to[0])[from] += share * gradient[at]; });
  }

 private:
  template <class Body>
  void each(const Body& body) const {
    size_t at = 0;
    for (size_t p = 0; p < planes_; ++p) {
      const size_t base = p * in_h_ * in_w_;
      for (const LinearTap& r : rows_) {
        for (const LinearTap& c : columns_) {
          body(base + r.a * in_w_ + c.a, at, (1 - r.share) * (1 - c.share));
          body(base + r.a * in_w_ + c.b, at, (1 - r.share) * c.share);
          body(base + r.b * in_w_ + c.a, at, r.share * (1 - c.share));
          body(base + r.b * in_w_ + c.b, at, r.share * c.share);
          ++at;
        }
      }
    }
  }

  size_t planes_, in_h_, in_w_;
  std::vector<LinearTap> rows_, columns_;
};

}  // namespace

MadeStep make_resize(const Graph& graph, const Op& op) {
  if (op.kind != OpKind::resize) return nullptr;
  const auto& a = op.as<ScaleAttrs>();
  if (a.mode != ScaleAttrs::Mode::linear) return nullptr;
  const Shape& x = graph.value(op.inputs[0]).shape;
  const Shape& y = graph.value(op.outputs[0]).shape;
  if (x.rank() < 3 || x.rank() > 4) return nullptr;
  const bool flat = x.rank() == 3;
  const auto last = static_cast<size_t>(x.rank() - 1);
  return std::make_unique<LinearResize>(
      static_cast<size_t>(x[0] * x[1]), static_cast<size_t>(flat ? 1 : x[2]),
      static_cast<size_t>(x.back(0)),
      flat ? std::vector<LinearTap>{{0, 0, 0}} : linear_taps(a, 2, x[2], y[2]),
      linear_taps(a, last, x.back(0), y.back(0)));
}

}  // namespace edgetwin::train
