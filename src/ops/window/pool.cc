#include "ops/window/pool.h"

#include "ops/core/checks.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/pool.h"
#include "ops/window/prepare.h"
#include "ops/window/window_attrs.h"

namespace edgetwin::ops {
namespace {

template <class Rule>
Kernel pool_kernel(const Window2D& g, Rule rule) {
  using T = typename Rule::Element;
  const int64_t units = int64_t{g.batch} * g.out_h * ((g.out_c + kPoolBlock - 1) / kPoolBlock);
  const int64_t grain = grain_for(int64_t{g.out_w} * kPoolBlock * g.kernel_h * g.kernel_w / 8);
  return [g, rule, units, grain](const Args& args) -> Status {
    const View4<const T> x{args.input<T>(0), g.batch, g.in_h, g.in_w, g.in_c};
    const View4<T> y{args.output<T>(0), g.batch, g.out_h, g.out_w, g.out_c};
    args.pool.parallel_for(
        units, grain, [&](int64_t begin, int64_t end, int) { pool_2d(g, x, rule, y, begin, end); });
    return Ok{};
  };
}

// Given padding may leave a window wholly outside the picture, which has no average.
Status check_windows_touch(const OpContext& c, const Window2D& g) {
  const auto outside = [](int out, int stride, int pad, int kernel, int in) {
    const int64_t last = int64_t{out - 1} * stride - pad;
    return pad >= kernel || last >= in;
  };
  if (!outside(g.out_h, g.stride_h, g.pad_top, g.kernel_h, g.in_h) &&
      !outside(g.out_w, g.stride_w, g.pad_left, g.kernel_w, g.in_w)) {
    return Ok{};
  }
  return c.error(ErrorCode::op_attribute, "a pooling window lies wholly in the padding");
}

}  // namespace

template <class F>
Result<Prepared> prepare_pool(const OpContext& c) {
  const auto& a = c.op().as<PoolAttrs>();
  EDGETWIN_TRY(check_activation(c, a.activation));
  const Shape in = with_height(c.input_shape(0));
  EDGETWIN_TRY_ASSIGN(Window2D g, window_geometry(c, in, window_of(a, in)));
  g.out_c = g.in_c;
  EDGETWIN_TRY(check_windows_touch(c, g));
  const auto kind =
      c.op().kind == OpKind::max_pool_2d ? numerics::PoolKind::max : numerics::PoolKind::average;
  const numerics::PoolSpec spec{kind,
                                c.input(0).quant,
                                c.output(0).quant,
                                real_range(a.activation),
                                g.kernel_h * g.kernel_w,
                                c.options().edgetpu};
  const auto matches = [&]<class Rule>() {
    constexpr DType type = dtype_of<typename Rule::Element>;
    return c.input(0).dtype == type && c.output(0).dtype == type;
  };
  return with_rule(c, typename F::Pool{}, matches, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {like_input(window_shape(g), c.input_shape(0))};
    if (!make_fast_pool(c.options(), g, kind, rule, prepared)) {
      prepared.run = pool_kernel(g, rule);
    }
    count_open(c, rule, prepared);
    if (kind == numerics::PoolKind::max && spec.in.scheme == Quant::Scheme::power_of_two) {
      checks::note_quantization(c, c.input(0), c.output(0), prepared, Severity::warning);
    }
    return prepared;
  });
}

EDGETWIN_FOR_EACH_NHWC(prepare_pool)

}  // namespace edgetwin::ops
