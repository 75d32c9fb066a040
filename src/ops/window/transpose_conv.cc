#include "ops/window/transpose_conv.h"

#include "ops/window/accumulate.h"

namespace edgetwin::ops {
namespace {

constexpr AccumulateOperands kOperands{.x = 2, .w = 1, .bias = 3};

struct TransposePlan {
  Window2D forward;  // from the output picture to the input
  Shape in, filter, out;
};

[[gnu::cold]] Result<TransposePlan> plan_transpose(const OpContext& c) {
  const auto& a = c.op().as<TransposeConvAttrs>();
  EDGETWIN_TRY(check_activation(c, a.activation));
  EDGETWIN_TRY_ASSIGN(const auto dims, c.constant_integers(0, "the output shape"));
  TransposePlan p{{}, c.input_shape(2), c.input_shape(1), {}};
  if (dims.size() != 4 || p.in.rank() != 4 || p.filter.rank() != 4 || p.filter.elements() == 0) {
    return c.error(ErrorCode::op_shape, "output shape, filter and input must have four dimensions");
  }
  p.out = Shape(dims);
  EDGETWIN_TRY(check_filter_axis(c, 1, 0));
  EDGETWIN_TRY_ASSIGN(p.forward, window_geometry(c, p.out,
                                                 {.padding = a.padding,
                                                  .stride_h = a.stride_h,
                                                  .stride_w = a.stride_w,
                                                  .dilation_h = 1,
                                                  .dilation_w = 1,
                                                  .kernel_h = static_cast<int>(p.filter[1]),
                                                  .kernel_w = static_cast<int>(p.filter[2])}));
  const bool fits = p.out[0] == p.in[0] && p.out[3] == p.filter[0] && p.in[3] == p.filter[3] &&
                    p.in[1] == p.forward.out_h && p.in[2] == p.forward.out_w;
  if (!fits || !checked_elements(dims, kMaxTensorBytes)) {
    return c.error(ErrorCode::op_shape, "the shapes do not fit together")
        .detail("output " + to_string(p.out) + ", filter " + to_string(p.filter) + ", input " +
                to_string(p.in))
        .detail("this output would come from an input of " + std::to_string(p.forward.out_h) + "x" +
                std::to_string(p.forward.out_w));
  }
  EDGETWIN_TRY(check_bias(c, 3, p.out[3]));
  return p;
}

template <class Rule>
Kernel plain_kernel(const TransposePlan& p, Rule rule) {
  auto shared = std::make_shared<const Rule>(std::move(rule));
  return [p, shared](const Args& args) -> Status {
    const auto x = view4(args.input<typename Rule::In>(2), p.in);
    const auto w = view4(args.input<typename Rule::Weight>(1), p.filter);
    const auto y = view4(args.output<typename Rule::Out>(0), p.out);
    const int64_t per_row = p.out[2] * p.filter.elements();
    args.pool.parallel_for(p.out[0] * p.out[1], grain_for(per_row),
                           [&](int64_t begin, int64_t end, int) {
                             transpose_conv(p.forward, x, w, *shared, y, begin, end);
                           });
    return Ok{};
  };
}

}  // namespace

template <class F>
Result<Prepared> prepare_transpose_conv(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const TransposePlan plan, plan_transpose(c));
  const auto spec =
      accumulate_spec(c, kOperands, plan.out[3], c.op().as<TransposeConvAttrs>().activation);
  return with_accumulate_rule<F>(c, kOperands, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {plan.out};
    prepared.macs = plan.in.elements() / plan.in[3] * plan.filter.elements();
    count_open(c, rule, prepared);
    prepared.run = plain_kernel(plan, std::move(rule));
    return prepared;
  });
}

EDGETWIN_FOR_EACH_TFLITE(prepare_transpose_conv)
EDGETWIN_FOR_EACH_EDGETPU(prepare_transpose_conv)

}  // namespace edgetwin::ops
