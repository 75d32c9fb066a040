// ADD, SUB and MUL, of ESP-DL also Div, Pow and Mod: one walk with broadcasting over the numerics'
// rule for two elements.
#include "graph/constants.h"
#include "ops/core/broadcast.h"
#include "ops/core/checks.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/elementwise/prepare.h"
#include "ops/fast/pairs.h"

namespace edgetwin::ops {
namespace {

numerics::BinaryKind binary_kind(OpKind kind) {
  switch (kind) {
    case OpKind::sub:
      return numerics::BinaryKind::sub;
    case OpKind::mul:
      return numerics::BinaryKind::mul;
    case OpKind::div:
      return numerics::BinaryKind::div;
    case OpKind::pow:
      return numerics::BinaryKind::pow;
    case OpKind::mod:
      return numerics::BinaryKind::mod;
    default:
      return numerics::BinaryKind::add;
  }
}

template <class Rule>
Kernel binary_kernel(const BroadcastPlan& plan, Rule rule) {
  using T = typename Rule::Element;
  return [plan, rule](const Args& args) -> Status {
    const T* a = args.input<T>(0);
    const T* b = args.input<T>(1);
    T* y = args.output<T>(0);
    plan.for_each_run([&](int64_t at_a, int64_t at_b, int64_t at_y, int64_t count, int64_t step_a,
                          int64_t step_b) {
      for (int64_t i = 0; i < count; ++i) {
        y[at_y + i] = rule(a[at_a + i * step_a], b[at_b + i * step_b]);
      }
    });
    return Ok{};
  };
}

// What a 16-bit sum rests on.
Finding int16_finding(const OpContext& c) {
  return {Severity::note, "", c.label(),
          "16-bit ADD and SUB follow the published kernels by reading only; no recorded output was "
          "compared",
          ""};
}

}  // namespace

template <class F>
Result<Prepared> prepare_binary(const OpContext& c) {
  const auto* attrs = std::get_if<BinaryAttrs>(&c.op().attrs);  // Pow and Mod have none
  const Activation activation = attrs == nullptr ? Activation::none : attrs->activation;
  EDGETWIN_TRY(check_activation(c, activation));
  EDGETWIN_TRY_ASSIGN(const Shape shape, checks::broadcast_shape(c));
  const auto plan = BroadcastPlan::make(c.input_shape(0), c.input_shape(1), shape);
  const numerics::BinarySpec spec{.kind = binary_kind(c.op().kind),
                                  .a = c.input(0).quant,
                                  .b = c.input(1).quant,
                                  .out = c.output(0).quant,
                                  .range = real_range(activation),
                                  .pot_scale_int16 = attrs != nullptr && attrs->pot_scale_int16,
                                  .inner = plan.inner_size(),
                                  .a_stays = plan.inner_a_stays(),
                                  .b_stays = plan.inner_b_stays(),
                                  .a_elements = c.input_shape(0).elements(),
                                  .b_elements = c.input_shape(1).elements(),
                                  .b_number = only_number(c.input(1)),
                                  .allow_undefined = c.options().allow_undefined,
                                  .edgetpu = c.options().edgetpu,
                                  .real_additions = c.options().real_additions};
  const auto matches = [&]<class Rule>() {
    constexpr DType type = dtype_of<typename Rule::Element>;
    return c.input(0).dtype == type && c.input(1).dtype == type && c.output(0).dtype == type;
  };
  return with_rule(c, typename F::Binary{}, matches, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Rule rule, make_rule<Rule>(c, spec));
    Prepared prepared;
    prepared.output_shapes = {shape};
    if (!make_fast_pairs(c, rule, plan, prepared)) prepared.run = binary_kernel(plan, rule);
    count_open(c, rule, prepared);
    const bool sum =
        spec.kind == numerics::BinaryKind::add || spec.kind == numerics::BinaryKind::sub;
    if (!sum) return prepared;
    if (spec.out.scheme == Quant::Scheme::power_of_two) {
      for (size_t i = 0; i < 2; ++i) {
        checks::note_quantization(c, c.input(i), c.output(0), prepared, Severity::warning);
      }
    } else if (c.output(0).dtype == DType::int16) {
      prepared.findings.push_back(int16_finding(c));
    }
    return prepared;
  });
}

EDGETWIN_FOR_EACH_NUMERICS(prepare_binary)

}  // namespace edgetwin::ops
