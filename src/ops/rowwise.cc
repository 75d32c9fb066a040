// Operators that work on one row along the last axis: SOFTMAX and L2_NORMALIZATION.
#include "ops/common.h"
#include "ops/instantiate.h"

namespace edgetwin::ops {
namespace {

struct Rows {
  int64_t count;
  int64_t length;
};

Result<Rows> rows_of(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  if (in.rank() < 1 || in.back(0) < 1) {
    return c.error(ErrorCode::op_shape,
                   "the input must have at least one element per row, it is " + to_string(in));
  }
  return Rows{in.elements() / in.back(0), in.back(0)};
}

template <class In, class Out, class Rule>
Prepared prepare_rows(const OpContext& c, Rows rows, Rule rule) {
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  prepared.run = [rows, rule = std::move(rule)](const Args& args) -> Status {
    const In* x = args.input<In>(0);
    Out* y = args.output<Out>(0);
    args.pool.parallel_for(rows.count, grain_for(rows.length * 50),
                           [&](int64_t begin, int64_t end, int) {
                             for (int64_t i = begin; i < end; ++i) {
                               rule.row(x + i * rows.length, rows.length, y + i * rows.length);
                             }
                           });
    return Ok{};
  };
  return prepared;
}

}  // namespace

template <class F>
Result<Prepared> prepare_softmax(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Rows rows, rows_of(c));
  const numerics::SoftmaxSpec spec{c.input(0).quant, c.output(0).quant,
                                   c.op().as<SoftmaxAttrs>().beta};
  const auto matches = [&]<class Rule>() {
    return dtype_of<typename Rule::In> == c.input(0).dtype &&
           dtype_of<typename Rule::Out> == c.output(0).dtype;
  };
  return with_rule(c, typename F::Softmax{}, matches, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    return prepare_rows<typename Rule::In, typename Rule::Out>(c, rows, std::move(rule));
  });
}

template <class F>
Result<Prepared> prepare_l2_normalization(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Rows rows, rows_of(c));
  if (c.op().as<ActivationAttrs>().activation != Activation::none) {
    return c.error(ErrorCode::op_attribute, "a fused activation is not defined here");
  }
  const numerics::UnarySpec spec{numerics::UnaryKind::requantize, c.input(0).quant,
                                 c.output(0).quant};
  const auto matches = [&]<class Rule>() {
    constexpr DType type = dtype_of<typename Rule::Element>;
    return c.input(0).dtype == type && c.output(0).dtype == type;
  };
  return with_rule(c, typename F::L2Normalization{}, matches,
                   [&]<class Rule>() -> Result<Prepared> {
                     EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
                     return prepare_rows<typename Rule::Element, typename Rule::Element>(
                         c, rows, std::move(rule));
                   });
}

EDGETWIN_FOR_EACH_FLAVOUR(prepare_softmax)
EDGETWIN_FOR_EACH_FLAVOUR(prepare_l2_normalization)

}  // namespace edgetwin::ops
