#include "targets/max78/simulate/layer_math.h"

#include <cstring>

#include "ops/window/conv2d.h"
#include "ops/window/pool.h"

namespace edgetwin::max78 {
namespace {

using numerics::max78::Accumulate32;
using numerics::max78::Accumulate8;
using numerics::max78::Activation;
namespace rules = numerics::max78;

// Pools with the walk of src/ops.
template <class Rule>
void pool_with(const Window2D& g, const Picture& in, const Rule& rule, Picture& out,
               ThreadPool& pool) {
  const View4<const int8_t> x{in.data.data(), 1, in.h, in.w, in.c};
  const View4<int8_t> y{out.data.data(), 1, out.h, out.w, out.c};
  const int64_t blocks = (g.out_c + ops::kPoolBlock - 1) / ops::kPoolBlock;
  pool.parallel_for(g.out_h * blocks, 8, [&](int64_t begin, int64_t end, int) {
    ops::pool_2d(g, x, rule, y, begin, end);
  });
}

bool one_dimensional(const ResolvedLayer& l) {
  return l.op == Operator::conv1d || (l.passthrough() && l.in_dim.w == 1);
}

// How the average of a window becomes an integer. The loader's simulation never rounds where data
// has one dimension; document and training code make no such exception.
numerics::Rounding average_rounding(const ResolvedLayer& l, const Options& options) {
  using numerics::Rounding;
  switch (options.arithmetic) {
    case Arithmetic::document:
      return options.avg_pool_rounding ? Rounding::half_up : Rounding::floor;
    case Arithmetic::training:
      return options.avg_pool_rounding ? Rounding::half_even : Rounding::truncate;
    case Arithmetic::loader:
      break;
  }
  return options.avg_pool_rounding && !one_dimensional(l) ? Rounding::half_away
                                                          : Rounding::truncate;
}

Window2D pool_window(const ResolvedLayer& l, const Picture& in, const Picture& out, bool loader) {
  Window2D g;
  g.in_h = in.h;
  g.in_w = in.w;
  g.in_c = g.out_c = in.c;
  g.out_h = out.h;
  g.out_w = out.w;
  g.kernel_h = l.pool.h;
  g.kernel_w = l.pool.w;
  g.stride_h = l.pool_stride.h;
  g.stride_w = l.pool_stride.w;
  // The loader's one-dimensional pooling takes neighbours whatever the dilation says.
  const bool flat = loader && l.op == Operator::conv1d;
  g.dilation_h = flat ? 1 : l.pool_dilation.h;
  g.dilation_w = flat ? 1 : l.pool_dilation.w;
  return g;
}

// One zero between any two neighbours: what a transposed convolution of stride 2 slides over.
Elements<int8_t> spread(const Picture& in) {
  const int64_t w = 2 * int64_t{in.w} - 1;
  Elements<int8_t> to(static_cast<size_t>((2 * int64_t{in.h} - 1) * w * in.c), 0);
  for (int64_t y = 0; y < in.h; ++y) {
    for (int64_t x = 0; x < in.w; ++x) {
      std::memcpy(to.data() + (2 * y * w + 2 * x) * in.c, in.data.data() + (y * in.w + x) * in.c,
                  static_cast<size_t>(in.c));
    }
  }
  return to;
}

}  // namespace

Picture pooled(const ResolvedLayer& l, const Picture& in, const Options& options,
               ThreadPool& pool) {
  Picture out{in.c, l.pooled_dim.h, l.pooled_dim.w, {}, {}};
  out.data.resize(static_cast<size_t>(out.elements()));
  const Window2D g = pool_window(l, in, out, options.arithmetic == Arithmetic::loader);
  if (l.pools() && l.average()) {
    pool_with(g, in, rules::AveragePool{average_rounding(l, options)}, out, pool);
  } else {
    pool_with(g, in, rules::MaxPool{}, out, pool);
  }
  return out;
}

Picture combined(const ResolvedLayer& l, const std::vector<Picture>& operands) {
  const auto function = [&] {
    switch (l.yaml->eltwise) {
      case ai8x::Eltwise::add:
        return rules::Eltwise::add;
      case ai8x::Eltwise::sub:
        return rules::Eltwise::sub;
      case ai8x::Eltwise::bitwise_or:
        return rules::Eltwise::bit_or;
      case ai8x::Eltwise::bitwise_xor:
        return rules::Eltwise::bit_xor;
      case ai8x::Eltwise::none:
        break;
    }
    return rules::Eltwise::none;
  }();
  Picture out = operands.front();
  for (size_t i = 0; i < out.data.size(); ++i) {
    int32_t sum = out.data[i];
    for (size_t k = 1; k < operands.size(); ++k) {
      sum = rules::combined(function, sum, operands[k].data[i]);
    }
    out.data[i] = numerics::saturate<int8_t>(sum);
  }
  return out;
}

LayerKernel::LayerKernel(const ResolvedLayer& l, bool plain)
    : depthwise_(l.depthwise()),
      transposed_(l.op == Operator::conv_transpose2d),
      wide_(l.output_width == 32),
      shift_(l.shift),
      bias_(l.parameters->bias) {
  const bool flat = l.flatten;
  const int pixels = flat ? l.pooled_dim.h * l.pooled_dim.w : 1;
  Window2D& g = window_;
  g.in_h = flat ? 1 : l.pooled_dim.h;
  g.in_w = flat ? 1 : l.pooled_dim.w;
  g.in_c = l.in_channels * pixels;
  g.out_h = l.out_dim.h;
  g.out_w = l.out_dim.w;
  g.out_c = l.out_channels;
  g.kernel_h = l.kernel.h;
  g.kernel_w = l.kernel.w;
  g.dilation_h = l.dilation.h;
  g.dilation_w = l.dilation.w;
  g.pad_top = l.pad.h;
  g.pad_left = l.pad.w;
  if (transposed_) {
    g.pad_top = l.dilation.h * (l.kernel.h - 1) - l.pad.h;
    g.pad_left = l.dilation.w * (l.kernel.w - 1) - l.pad.w;
    g.in_h = 2 * g.in_h - 1;
    g.in_w = 2 * g.in_w - 1;
  }
  if (l.activation == ai8x::Activation::relu) activation_ = Activation::relu;
  if (l.activation == ai8x::Activation::abs) activation_ = Activation::absolute;
  arrange_weights(l);
  if (!plain) choose_kernel(l);
}

void LayerKernel::arrange_weights(const ResolvedLayer& l) {
  const int64_t out = l.out_channels, in = depthwise_ ? 1 : window_.in_c;
  const int64_t taps = int64_t{l.kernel.h} * l.kernel.w;
  weights_.assign(static_cast<size_t>(out * in * taps), 1);
  if (l.bypass) return;
  const auto& from = l.parameters->weights;
  if (!depthwise_) {
    for (int64_t o = 0; o < out; ++o) {
      to_pixels(from.data() + o * in * taps, weights_.data() + o * in * taps, taps, in);
    }
    return;
  }
  to_pixels(from.data(), weights_.data(), taps, out);
}

void LayerKernel::choose_kernel(const ResolvedLayer& l) {
  if (wide_ || shift_ > 7) return;
  std::vector<int32_t> bias(bias_.begin(), bias_.end());
  for (int32_t& b : bias) b *= 128;
  const int right = 7 - l.shift;
  kernels::Conv8Spec spec;
  spec.window = window_;
  spec.depthwise = depthwise_;
  spec.weights = weights_.data();
  spec.bias = bias.empty() ? nullptr : bias.data();
  spec.shift_tail = kernels::ShiftTail{.shifts = std::span(&right, 1),
                                       .rounding = numerics::Rounding::half_up,
                                       .act_min = activation_ == Activation::relu ? 0 : -128,
                                       .act_max = 127};
  fast_ = kernels::PackedConv::make(spec);
}

Picture LayerKernel::run(const Picture& in, ThreadPool& pool) const {
  Picture out{window_.out_c, window_.out_h, window_.out_w, {}, {}};
  const auto elements = static_cast<size_t>(out.elements());
  if (wide_) {
    out.wide.resize(elements);
  } else {
    out.data.resize(elements);
  }
  Elements<int8_t> stretched;
  if (transposed_) stretched = spread(in);
  const Elements<int8_t>& source = transposed_ ? stretched : in.data;
  if (fast_ == nullptr) {
    run_plain(source, out, pool);
    return out;
  }
  Elements<std::byte> scratch(fast_->scratch_bytes(pool.size()));
  fast_->run(source.data(), out.data.data(), scratch.data(), pool);
  if (activation_ == Activation::absolute) {
    for (int8_t& y : out.data) y = rules::activated(y, activation_);
  }
  return out;
}

void LayerKernel::run_plain(const Elements<int8_t>& in, Picture& out, ThreadPool& pool) const {
  const View4<const int8_t> x{in.data(), 1, window_.in_h, window_.in_w, window_.in_c};
  const View4<const int8_t> w =
      depthwise_ ? View4<const int8_t>{weights_.data(), 1, window_.kernel_h, window_.kernel_w,
                                       window_.out_c}
                 : View4<const int8_t>{weights_.data(), window_.out_c, window_.kernel_h,
                                       window_.kernel_w, window_.in_c};
  const auto walk = [&](const auto& rule, const auto& y) {
    pool.parallel_for(window_.out_h, 1, [&](int64_t begin, int64_t end, int) {
      if (depthwise_) {
        ops::depthwise_conv_2d(window_, x, w, rule, y, begin, end);
      } else {
        ops::conv_2d(window_, x, w, rule, y, begin, end);
      }
    });
  };
  if (wide_) {
    walk(Accumulate32{bias_}, View4<int32_t>{out.wide.data(), 1, out.h, out.w, out.c});
  } else {
    walk(Accumulate8{bias_, shift_, activation_},
         View4<int8_t>{out.data.data(), 1, out.h, out.w, out.c});
  }
}

}  // namespace edgetwin::max78
