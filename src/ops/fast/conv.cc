#include "ops/fast/conv.h"

#include <optional>

#include "kernels/i8/conv.h"

namespace edgetwin::ops {

namespace {

// `counters` is kept as long as the kernel, which writes into it.
bool install(const OpContext& c, kernels::Conv8Spec& spec,
             const std::shared_ptr<numerics::EdgetpuOpen>& counters, Prepared& prepared) {
  if (!c.options().isa.empty()) {
    const auto isa = kernels::isa_by_name(c.options().isa);
    if (!isa || !kernels::available(*isa)) return false;
    spec.isa = *isa;
  }
  const std::shared_ptr<const kernels::PackedConv> packed = kernels::PackedConv::make(spec);
  if (packed == nullptr) return false;
  prepared.scratch_bytes = packed->scratch_bytes(c.options().threads);
  prepared.path = packed->path();
  prepared.packed = true;
  prepared.run = [packed, counters](const Args& args) -> Status {
    packed->run(args.inputs[0], args.outputs[0], args.scratch, args.pool);
    return Ok{};
  };
  return true;
}

// What both rules name alike; nothing where no fast kernel may be tried.
template <class Rule>
std::optional<kernels::Conv8Spec> spec_of(const OpContext& c, const Rule& rule,
                                          const Window2D& window, bool depthwise) {
  const Bytes* weights = c.constant(1);
  if (!c.options().fast || weights == nullptr) return std::nullopt;
  kernels::Conv8Spec spec;
  spec.window = window;
  spec.depthwise = depthwise;
  spec.is_unsigned = rule.is_unsigned;
  spec.input_zero_point = rule.input_zero_point;
  spec.weight_zero_point = rule.weight_zero_point;
  spec.weights = weights->data();
  spec.bias = rule.bias->empty() ? nullptr : rule.bias->data();
  return spec;
}

}  // namespace

bool make_fast_affine8(const OpContext& c, const Affine8& rule, const Window2D& window,
                       bool depthwise, Prepared& prepared) {
  auto spec = spec_of(c, rule, window, depthwise);
  if (!spec) return false;
  spec->tail = {.multipliers = *rule.multipliers,
                .output_zero_point = rule.output_zero_point,
                .act_min = rule.act_min,
                .act_max = rule.act_max,
                .requantization = rule.requantization};
  return install(c, *spec, {}, prepared);
}

bool make_fast_product8(const OpContext& c, const Product8& rule, const Window2D& window,
                        bool depthwise, Prepared& prepared) {
  auto spec = spec_of(c, rule, window, depthwise);
  if (!spec) return false;
  spec->float_tail = {.multipliers = *rule.multipliers,
                      .low = rule.clamp.low,
                      .high = rule.clamp.high,
                      .zero_point = rule.output_zero_point,
                      .options = rule.options,
                      .ties = &rule.open->ties,
                      .large = &rule.open->large};
  return install(c, *spec, rule.open, prepared);
}

}  // namespace edgetwin::ops
