// Pooling and Resize of ONNX in float32, plane by plane.
#include <cmath>

#include "ops/core/checks.h"
#include "ops/onnx/common.h"
#include "ops/onnx/prepare.h"
#include "ops/window/window_attrs.h"

namespace edgetwin::ops::onnx {
namespace {

struct PoolPlan {
  Window2D window;
  bool average = false, count_padding = false;
  int padded_h = 0, padded_w = 0;  // where the padding ends that counts
};

// One output: NaN stays, as any comparison with it is false.
float pool_one(const PoolPlan& p, const float* x, int oy, int ox) {
  const Window2D& g = p.window;
  float largest = -std::numeric_limits<float>::infinity();
  float sum = 0.0F;
  int count = 0;
  int counted = 0;
  for (int ky = 0; ky < g.kernel_h; ++ky) {
    for (int kx = 0; kx < g.kernel_w; ++kx) {
      const int iy = g.row(oy, ky);
      const int ix = g.column(ox, kx);
      if (iy < p.padded_h && ix < p.padded_w) ++counted;
      if (!g.inside(iy, ix)) continue;
      const float v = x[int64_t{iy} * g.in_w + ix];
      if (!(v <= largest)) largest = v;
      sum += v;
      ++count;
    }
  }
  if (!p.average) return largest;
  return sum / static_cast<float>(std::max(1, p.count_padding ? counted : count));
}

[[gnu::cold]] Result<PoolPlan> plan_pool(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  if (c.input(0).dtype != DType::float32 || c.output(0).dtype != DType::float32) {
    return c.unsupported_types();
  }
  const auto& a = c.op().as<PoolAttrs>();
  const Shape& given = c.input_shape(0);
  const Shape in = channels_last(given);
  if (in.rank() != 4) {
    return c.error(ErrorCode::op_shape, "the input must be NxCxHxW, it is " + to_string(given));
  }
  PoolPlan p;
  EDGETWIN_TRY_ASSIGN(p.window, window_geometry(c, in, window_of(a, in)));
  p.window.out_c = p.window.in_c;
  p.average = c.op().kind == OpKind::average_pool_2d;
  p.count_padding = a.count_padding;
  p.padded_h = p.window.in_h + a.padding.bottom;
  p.padded_w = p.window.in_w + a.padding.right;
  return p;
}

}  // namespace

Result<Prepared> prepare_pool(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const PoolPlan p, plan_pool(c));
  Prepared prepared;
  prepared.output_shapes = {channels_first(window_shape(p.window), c.input_shape(0))};
  EDGETWIN_TRY(checks::output_shape(c, 0, prepared.output_shapes[0]));
  prepared.run = [p](const Args& args) -> Status {
    const Window2D& g = p.window;
    const int64_t plane = int64_t{g.out_h} * g.out_w;
    const int64_t planes = int64_t{g.batch} * g.in_c;
    args.pool.parallel_for(planes, grain_for(plane * g.kernel_h * g.kernel_w),
                           [&](int64_t begin, int64_t end, int) {
                             for (int64_t i = begin; i < end; ++i) {
                               const float* x = args.input<float>(0) + i * g.in_h * g.in_w;
                               float* y = args.output<float>(0) + i * plane;
                               for (int oy = 0; oy < g.out_h; ++oy) {
                                 for (int ox = 0; ox < g.out_w; ++ox) *y++ = pool_one(p, x, oy, ox);
                               }
                             }
                           });
    return Ok{};
  };
  return prepared;
}

namespace {

// Two source positions and the share of the second.
struct Tap {
  int64_t a = 0, b = 0;
  float t = 0.0F;
};

using Coordinates = ScaleAttrs::Coordinates;

double source(const ScaleAttrs& a, int64_t o, int64_t in, int64_t out, double scale) {
  const auto x = static_cast<double>(o);
  if (a.align_corners) {
    return out > 1 ? x * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0.0;
  }
  const bool nearest = a.mode == ScaleAttrs::Mode::nearest;
  switch (a.coordinates) {
    case Coordinates::usual:
      return nearest ? x / scale : (x + 0.5) / scale - 0.5;
    case Coordinates::asymmetric:
      return x / scale;
    case Coordinates::half_pixel:
      return (x + 0.5) / scale - 0.5;
    case Coordinates::pytorch_half_pixel:
      return out > 1 ? (x + 0.5) / scale - 0.5 : 0.0;
  }
  return x;
}

double nearest_of(ScaleAttrs::Nearest rule, double x) {
  switch (rule) {
    case ScaleAttrs::Nearest::floor:
      return std::floor(x);
    case ScaleAttrs::Nearest::ceil:
      return std::ceil(x);
    case ScaleAttrs::Nearest::round_prefer_floor:
      return std::ceil(x - 0.5);
    case ScaleAttrs::Nearest::round_prefer_ceil:
      return std::floor(x + 0.5);
  }
  return x;
}

std::vector<Tap> taps_of(const ScaleAttrs& a, int64_t in, int64_t out, double scale) {
  std::vector<Tap> taps;
  const auto last = static_cast<double>(in - 1);
  for (int64_t o = 0; o < out; ++o) {
    const double x = source(a, o, in, out, scale);
    if (a.mode == ScaleAttrs::Mode::nearest) {
      const auto at = static_cast<int64_t>(std::clamp(nearest_of(a.nearest, x), 0.0, last));
      taps.push_back({at, at, 0.0F});
      continue;
    }
    const double clamped = std::clamp(x, 0.0, last);
    const auto at = static_cast<int64_t>(clamped);
    taps.push_back(
        {at, std::min(at + 1, in - 1), static_cast<float>(clamped - static_cast<double>(at))});
  }
  return taps;
}

struct ResizePlan {
  int64_t planes = 1, in_h = 1, in_w = 1;
  std::vector<Tap> rows, columns;
  bool nearest = false;
  Shape out;
};

struct Axis {
  int64_t out = 1;
  double scale = 1.0;
};

[[gnu::cold]] Result<Axis> resized(const OpContext& c, const ScaleAttrs& a, int axis) {
  const int64_t in = c.input_shape(0)[axis];
  const auto i = static_cast<size_t>(axis);
  if (a.scales.empty()) {
    if (a.sizes[i] < 1 || a.sizes[i] > kMaxTensorBytes) {
      return c.error(ErrorCode::op_attribute, "a size of " + std::to_string(a.sizes[i]));
    }
    return Axis{a.sizes[i], static_cast<double>(a.sizes[i]) / static_cast<double>(in)};
  }
  const auto scale = static_cast<double>(a.scales[i]);
  const double size = std::floor(static_cast<double>(in) * scale);
  if (!(scale > 0.0) || !(size >= 1.0) || !(size < static_cast<double>(kMaxTensorBytes))) {
    return c.error(ErrorCode::op_attribute, "a scale of " + std::to_string(a.scales[i]));
  }
  return Axis{static_cast<int64_t>(size), scale};
}

[[gnu::cold]] Result<ResizePlan> plan_onnx_resize(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  const auto& a = c.op().as<ScaleAttrs>();
  const Shape& in = c.input_shape(0);
  const auto rank = static_cast<size_t>(in.rank());
  if (rank < 3 || rank > 4 || in.elements() < 1) {
    return c.error(ErrorCode::op_shape, "the input must be NxCxHxW, it is " + to_string(in));
  }
  if ((a.scales.empty() ? a.sizes.size() : a.scales.size()) != rank) {
    return c.error(ErrorCode::op_attribute, "neither scales nor sizes for all axes");
  }
  if (a.mode == ScaleAttrs::Mode::cubic) {
    return c.error(ErrorCode::op_unsupported, "cubic resizing");
  }
  ResizePlan p;
  p.out = in;
  std::vector<Axis> axes;
  for (int i = 0; i < in.rank(); ++i) {
    EDGETWIN_TRY_ASSIGN(const Axis axis, resized(c, a, i));
    if (i < 2 && axis.out != in[i]) {
      return c.error(ErrorCode::op_attribute, "only the axes of the picture can be resized");
    }
    p.out[i] = axis.out;
    axes.push_back(axis);
  }
  p.planes = in[0] * in[1];
  p.in_w = in.back(0);
  p.in_h = rank == 4 ? in[2] : 1;
  EDGETWIN_TRY(checks::output_shape(c, 0, p.out));
  const Axis y = rank == 4 ? axes[2] : Axis{};
  p.rows = taps_of(a, p.in_h, y.out, y.scale);
  p.columns = taps_of(a, p.in_w, axes.back().out, axes.back().scale);
  p.nearest = a.mode == ScaleAttrs::Mode::nearest;
  return p;
}

void resize_plane(const ResizePlan& p, const float* x, float* y) {
  for (const Tap& r : p.rows) {
    const float* above = x + r.a * p.in_w;
    const float* below = x + r.b * p.in_w;
    for (const Tap& k : p.columns) {
      if (p.nearest) {
        *y++ = above[k.a];
        continue;
      }
      const float top = above[k.a] + (above[k.b] - above[k.a]) * k.t;
      const float bottom = below[k.a] + (below[k.b] - below[k.a]) * k.t;
      *y++ = top + (bottom - top) * r.t;
    }
  }
}

}  // namespace

Result<Prepared> prepare_resize(const OpContext& c) {
  if (c.input(0).dtype != DType::float32 || c.output(0).dtype != DType::float32) {
    return c.unsupported_types();
  }
  EDGETWIN_TRY_ASSIGN(ResizePlan plan, plan_onnx_resize(c));
  Prepared prepared;
  prepared.output_shapes = {plan.out};
  prepared.run = [p = std::move(plan)](const Args& args) -> Status {
    const int64_t size = p.out.elements() / p.planes;
    args.pool.parallel_for(p.planes, grain_for(size * 4), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) {
        resize_plane(p, args.input<float>(0) + i * p.in_h * p.in_w,
                     args.output<float>(0) + i * size);
      }
    });
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops::onnx
