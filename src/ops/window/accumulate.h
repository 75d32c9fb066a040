// Preparing operators that accumulate: which rule of the numerics fits the operands' types, and the
// rule made from their quantization.
#pragma once

#include <algorithm>

#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/fast/conv.h"
#include "ops/fast/conv_espdl.h"
#include "ops/fast/conv_floats.h"
#include "ops/window/prepare.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {

// NHWC data or an OHWI filter of a shape with four dimensions.
template <class T>
View4<T> view4(T* data, const Shape& s) {
  return {data, static_cast<int>(s[0]), static_cast<int>(s[1]), static_cast<int>(s[2]),
          static_cast<int>(s[3])};
}

// Which operands of the operator are what.
struct AccumulateOperands {
  size_t x = 0, w = 1, bias = 2;
};

// Checks the bias: one element per output channel, constant. Errors: op_shape, op_constant.
inline Status check_bias(const OpContext& c, size_t bias, int64_t channels) {
  if (!c.has_input(bias)) return Ok{};
  if (c.constant(bias) == nullptr) {
    return c.error(ErrorCode::op_constant, "the bias must be a constant");
  }
  if (c.input_shape(bias).elements() == channels) return Ok{};
  return c.error(ErrorCode::op_shape, "the bias has " + to_string(c.input_shape(bias)) +
                                          " elements, the output has " + std::to_string(channels) +
                                          " channels");
}

inline numerics::AccumulateSpec accumulate_spec(const OpContext& c, AccumulateOperands o,
                                                int64_t channels, Activation activation) {
  numerics::AccumulateSpec spec;
  spec.in = c.input(o.x).quant;
  spec.weight = c.input(o.w).quant;
  spec.out = c.output(0).quant;
  spec.channels = channels;
  spec.range = real_range(activation);
  spec.allow_undefined = c.options().allow_undefined;
  spec.edgetpu = c.options().edgetpu;
  if (c.has_input(o.bias)) {
    spec.bias = c.input(o.bias).quant;
    spec.bias_data = *c.constant(o.bias);
  }
  return spec;
}

// Calls fn.operator()<Rule>() for the first rule whose element types are those of the operands.
template <class F, class Fn>
[[gnu::cold]] Result<Prepared> with_accumulate_rule(const OpContext& c, AccumulateOperands o,
                                                    const Fn& fn) {
  const auto matches = [&]<class Rule>() {
    return dtype_of<typename Rule::In> == c.input(o.x).dtype &&
           dtype_of<typename Rule::Weight> == c.input(o.w).dtype &&
           dtype_of<typename Rule::Out> == c.output(0).dtype &&
           (!c.has_input(o.bias) || dtype_of<typename Rule::Bias> == c.input(o.bias).dtype);
  };
  return with_rule(c, typename F::Accumulate{}, matches, fn);
}

// Rules of saturating sums count the results that wide sums would have given otherwise; the user is
// told after each run.
template <class Rule>
void count_differing(const OpContext& c, const Rule& rule, Prepared& prepared) {
  if constexpr (requires { rule.differing; } && !Rule::kExactSum) {
    const int64_t elements = prepared.output_shapes[0].elements();
    prepared.after_run = [counter = rule.differing, label = c.label(),
                          elements](std::vector<Finding>& findings) {
      const int64_t count = counter->exchange(0);
      if (count == 0) return;
      findings.push_back({Severity::warning, "", label,
                          std::to_string(count) + " of " + std::to_string(elements) +
                              " results differ from those of wide accumulators: sums left the "
                              "range of the chip's lanes",
                          "`--accumulators wide` computes as the portable code does; smaller "
                          "weights or a larger input exponent keep sums in range."});
    };
  }
}

// A shift beyond 31 bits of an 8-bit layer: what becomes of it depends on the processor.
template <class Rule>
void note_wide_shift(const OpContext& c, const Rule& rule, Prepared& prepared) {
  if constexpr (requires { rule.widest_shift; }) {
    if (sizeof(typename Rule::In) != 1 || rule.widest_shift <= 31) return;
    const bool exact =
        rule.shifts.empty() || *std::max_element(rule.shifts.begin(), rule.shifts.end()) > 31;
    prepared.findings.push_back(
        {Severity::warning, "", c.label(),
         "a 32-bit sum is shifted right by " + std::to_string(rule.widest_shift) + " bits; " +
             (exact ? "what the chip makes of it is not known, the exact quotient is taken here"
                    : "the runtime uses the lower five bits of that number"),
         "The exponents are far too small: calibrate again with data that reaches this layer."});
  }
}

// Errors op_quant unless the filter's scales are one, or one per index of `axis`.
inline Status check_filter_axis(const OpContext& c, size_t w, int axis) {
  const Quant& q = c.input(w).quant;
  if (!q.per_channel() || q.axis == axis) return Ok{};
  return c.error(ErrorCode::op_quant, "the filter's scales lie along axis " +
                                          std::to_string(q.axis) + ", axis " +
                                          std::to_string(axis) + " is expected");
}

}  // namespace edgetwin::ops
