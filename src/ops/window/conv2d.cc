#include "ops/window/conv2d.h"

#include "ops/window/accumulate.h"
#include "ops/window/window_attrs.h"

namespace edgetwin::ops {
namespace {

struct ConvPlan {
  Window2D window;
  Shape out;
  Shape filter;
  bool depthwise = false;
};

Status check_filter(const OpContext& c, const Shape& in, const Shape& filter, bool depthwise) {
  const auto fail = [&](const std::string& what) {
    return c.error(ErrorCode::op_shape, what)
        .detail("input " + to_string(in) + ", filter " + to_string(filter));
  };
  if (in.rank() != 4 || filter.rank() != 4 || filter.elements() == 0) {
    return fail("input and filter must have four dimensions");
  }
  if (depthwise) {
    if (filter[0] != 1) return fail("a depthwise filter must be 1xHxWxC");
    if (in[3] == 0 || filter[3] % in[3] != 0) {
      return fail("the filter's channels are not a multiple of the input's");
    }
    return Ok{};
  }
  if (in[3] == 0 || in[3] % filter[3] != 0)
    return fail("the input's channels are not a multiple of the filter's");
  if (filter[0] % (in[3] / filter[3]) != 0) {
    return fail("the output's channels are not a multiple of the number of groups");
  }
  return Ok{};
}

[[gnu::cold]] Result<ConvPlan> plan_conv(const OpContext& c, bool depthwise) {
  const auto& a = c.op().as<Conv2DAttrs>();
  EDGETWIN_TRY(check_activation(c, a.activation));
  const Shape in = with_height(c.input_shape(0));
  const Shape& filter = c.input_shape(1);
  EDGETWIN_TRY(check_filter(c, in, filter, depthwise));
  EDGETWIN_TRY(check_filter_axis(c, 1, depthwise ? 3 : 0));
  EDGETWIN_TRY_ASSIGN(Window2D window, window_geometry(c, in, window_of(a, filter[1], filter[2])));
  window.out_c = static_cast<int>(depthwise ? filter[3] : filter[0]);
  EDGETWIN_TRY(check_bias(c, 2, window.out_c));
  return ConvPlan{window, like_input(window_shape(window), c.input_shape(0)), filter, depthwise};
}

// ESP-DL's kernels index one picture.
Status check_one_picture(const OpContext& c, const ConvPlan& p) {
  if (p.window.batch == 1 || c.options().allow_undefined) return Ok{};
  return c.error(ErrorCode::op_undefined, "a batch of " + std::to_string(p.window.batch) +
                                              ": the runtime computes one picture");
}

int64_t macs_of(const ConvPlan& p) {
  const Window2D& g = p.window;
  return window_shape(g).elements() * g.kernel_h * g.kernel_w * (p.depthwise ? 1 : p.filter[3]);
}

template <class Rule>
Kernel plain_kernel(const ConvPlan& p, Rule rule) {
  auto shared = std::make_shared<const Rule>(std::move(rule));
  const int64_t grain = grain_for(macs_of(p) / (int64_t{p.window.batch} * p.window.out_h));
  return [p, shared, grain](const Args& args) -> Status {
    const Window2D& g = p.window;
    const auto x = view4(args.input<typename Rule::In>(0), {g.batch, g.in_h, g.in_w, g.in_c});
    const auto w = view4(args.input<typename Rule::Weight>(1), p.filter);
    const auto y = view4(args.output<typename Rule::Out>(0), window_shape(g));
    args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain, [&](int64_t begin, int64_t end, int) {
      if (p.depthwise) {
        depthwise_conv_2d(g, x, w, *shared, y, begin, end);
      } else {
        conv_2d(g, x, w, *shared, y, begin, end);
      }
    });
    return Ok{};
  };
}

template <class F>
Result<Prepared> prepare_conv(const OpContext& c, bool depthwise) {
  EDGETWIN_TRY_ASSIGN(const ConvPlan plan, plan_conv(c, depthwise));
  if constexpr (requires { typename F::Unit; }) EDGETWIN_TRY(check_one_picture(c, plan));
  const auto& a = c.op().as<Conv2DAttrs>();
  auto spec = accumulate_spec(c, {}, plan.window.out_c, a.activation);
  spec.depthwise = depthwise;
  return with_accumulate_rule<F>(c, {}, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {plan.out};
    prepared.macs = macs_of(plan);
    const bool grouped = !depthwise && plan.filter[3] != plan.window.in_c;
    count_differing(c, rule, prepared);
    note_wide_shift(c, rule, prepared);
    count_open(c, rule, prepared);
    if (!grouped && make_fast_conv(c, rule, plan.window, depthwise, prepared)) return prepared;
    prepared.run = plain_kernel(plan, std::move(rule));
    return prepared;
  });
}

}  // namespace

template <class F>
Result<Prepared> prepare_conv_2d(const OpContext& c) {
  return prepare_conv<F>(c, false);
}

template <class F>
Result<Prepared> prepare_depthwise_conv_2d(const OpContext& c) {
  return prepare_conv<F>(c, true);
}

EDGETWIN_FOR_EACH_NHWC(prepare_conv_2d)
EDGETWIN_FOR_EACH_NHWC(prepare_depthwise_conv_2d)

}  // namespace edgetwin::ops
