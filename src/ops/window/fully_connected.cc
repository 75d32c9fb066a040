#include "ops/window/fully_connected.h"

#include "ops/window/accumulate.h"

namespace edgetwin::ops {
namespace {

struct FcPlan {
  int64_t rows = 0;
  int64_t depth = 0;
  int channels = 0;
  Shape out;
};

[[gnu::cold]] Result<FcPlan> plan_fc(const OpContext& c) {
  const auto& a = c.op().as<FullyConnectedAttrs>();
  EDGETWIN_TRY(check_activation(c, a.activation));
  if (a.weights_format != 0) {
    return c.error(ErrorCode::op_attribute, "the shuffled filter order of old converters");
  }
  const Shape& in = c.input_shape(0);
  const Shape& filter = c.input_shape(1);
  if (filter.rank() != 2 || filter.elements() == 0 || in.elements() % filter[1] != 0) {
    return c.error(ErrorCode::op_shape, "the input does not divide into rows of the filter's depth")
        .detail("input " + to_string(in) + ", filter " + to_string(filter));
  }
  if (a.keep_num_dims && (in.rank() == 0 || in.back(0) != filter[1])) {
    return c
        .error(ErrorCode::op_shape,
               "keep_num_dims needs an input whose last size is the filter's depth")
        .detail("input " + to_string(in) + ", filter " + to_string(filter));
  }
  EDGETWIN_TRY(check_filter_axis(c, 1, 0));
  FcPlan p{in.elements() / filter[1], filter[1], static_cast<int>(filter[0]), {}};
  if (a.keep_num_dims) {
    p.out = in;
    p.out[in.rank() - 1] = filter[0];
  } else {
    p.out = {p.rows, filter[0]};
  }
  EDGETWIN_TRY(check_bias(c, 2, p.channels));
  return p;
}

template <class Rule>
Kernel plain_kernel(const FcPlan& p, Rule rule) {
  auto shared = std::make_shared<const Rule>(std::move(rule));
  return [p, shared](const Args& args) -> Status {
    const auto* x = args.input<typename Rule::In>(0);
    const auto* w = args.input<typename Rule::Weight>(1);
    auto* y = args.output<typename Rule::Out>(0);
    args.pool.parallel_for(p.rows, grain_for(p.depth * p.channels),
                           [&](int64_t begin, int64_t end, int) {
                             fully_connected(x, w, p.depth, p.channels, *shared, y, begin, end);
                           });
    return Ok{};
  };
}

}  // namespace

template <class F>
Result<Prepared> prepare_fully_connected(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const FcPlan plan, plan_fc(c));
  auto spec = accumulate_spec(c, {}, plan.channels, c.op().as<FullyConnectedAttrs>().activation);
  spec.fully_connected = true;
  return with_accumulate_rule<F>(c, {}, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {plan.out};
    prepared.macs = plan.rows * plan.depth * plan.channels;
    const Window2D window{.batch = 1,
                          .in_h = 1,
                          .in_w = static_cast<int>(plan.rows),
                          .in_c = static_cast<int>(plan.depth),
                          .out_h = 1,
                          .out_w = static_cast<int>(plan.rows),
                          .out_c = plan.channels};
    count_differing(c, rule, prepared);
    note_wide_shift(c, rule, prepared);
    count_open(c, rule, prepared);
    if (make_fast_conv(c, rule, window, false, prepared)) return prepared;
    prepared.run = plain_kernel(plan, std::move(rule));
    return prepared;
  });
}

EDGETWIN_FOR_EACH_NHWC(prepare_fully_connected)

}  // namespace edgetwin::ops
