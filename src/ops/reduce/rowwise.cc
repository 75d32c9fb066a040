// Operators that work on one row: SOFTMAX (of ESP-DL along any axis) and L2_NORMALIZATION.
#include "ops/core/rows.h"

#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/softmax_rows.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {
namespace {

template <class In, class Out, class Rule>
Prepared prepare_row_rule(const OpContext& c, const Rows& rows, const Rule& rule) {
  using Fast = FastRow<Rule>;
  if constexpr (requires(const Fast& f, const In* x, Out* y) { f.row(x, int64_t{}, y); }) {
    if (const std::optional<Fast> fast = Fast::make(c.options(), rule)) {
      Prepared prepared = prepare_rows<In, Out>(c, rows, *fast);
      prepared.path = std::string(kernels::name(fast->kernels.isa));
      return prepared;
    }
  }
  return prepare_rows<In, Out>(c, rows, rule);
}

}  // namespace

template <class F>
Result<Prepared> prepare_softmax(const OpContext& c) {
  const auto& a = c.op().as<SoftmaxAttrs>();
  Rows rows{1, 1, 1};  // ESP-DL takes a scalar for a row of one
  constexpr bool espdl = requires { typename F::Unit; };
  if (!espdl || c.input_shape(0).rank() > 0) {
    EDGETWIN_TRY_ASSIGN(rows, rows_along(c, a.axis));
  }
  const numerics::SoftmaxSpec spec{c.input(0).quant, c.output(0).quant, a.beta,
                                   c.op().kind == OpKind::log_softmax, c.options().edgetpu};
  const auto matches = [&]<class Rule>() {
    return dtype_of<typename Rule::In> == c.input(0).dtype &&
           dtype_of<typename Rule::Out> == c.output(0).dtype;
  };
  return with_rule(c, typename F::Softmax{}, matches, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared = prepare_row_rule<typename Rule::In, typename Rule::Out>(c, rows, rule);
    count_open(c, rule, prepared);
    return prepared;
  });
}

template <class F>
Result<Prepared> prepare_l2_normalization(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const Rows rows, rows_along(c, -1));
  if (c.op().as<ActivationAttrs>().activation != Activation::none) {
    return c.error(ErrorCode::op_attribute, "a fused activation is not defined here");
  }
  const numerics::UnarySpec spec{numerics::UnaryKind::requantize, c.input(0).quant,
                                 c.output(0).quant};
  const auto matches = [&]<class Rule>() {
    constexpr DType type = dtype_of<typename Rule::Element>;
    return c.input(0).dtype == type && c.output(0).dtype == type;
  };
  return with_rule(
      c, typename F::L2Normalization{}, matches, [&]<class Rule>() -> Result<Prepared> {
        EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
        return prepare_row_rule<typename Rule::Element, typename Rule::Element>(c, rows, rule);
      });
}

Result<Prepared> prepare_chip_softmax(const OpContext& c) {
  const bool scalar = c.options().edgetpu.softmax == numerics::EdgetpuSoftmax::scalar;
  return with_evidence(c, scalar ? EdgetpuRule::scalar_softmax : EdgetpuRule::softmax,
                       prepare_softmax<numerics::Edgetpu>(c));
}

EDGETWIN_FOR_EACH_NUMERICS(prepare_softmax)
EDGETWIN_FOR_EACH_TFLITE(prepare_l2_normalization)

}  // namespace edgetwin::ops
