// PAD and PADV2: rows of one value around a tensor: real 0 (the output's zero point), or the value
// of input 2. Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided.h"

namespace edgetwin::ops {
namespace {

struct PadPlan {
  Shape out;
  int64_t inside = 0;  // offset of the input's first element in the output
};

[[gnu::cold]] Result<PadPlan> plan_pad(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> pads, c.constant_integers(1, "the paddings"));
  if (c.input_shape(1) != Shape{in.rank(), 2} ||
      pads.size() != 2 * static_cast<size_t>(in.rank())) {
    return c.error(ErrorCode::op_shape, "the paddings are " + to_string(c.input_shape(1)) +
                                            ", the input is " + to_string(in));
  }
  PadPlan plan;
  for (size_t i = 0; i < pads.size() / 2; ++i) {
    const int64_t before = pads[2 * i];
    const int64_t after = pads[2 * i + 1];
    if (before < 0 || after < 0 || before > kMaxTensorBytes || after > kMaxTensorBytes) {
      return c.error(ErrorCode::op_attribute, "axis " + std::to_string(i) + ": a padding of " +
                                                  std::to_string(before) + " before and " +
                                                  std::to_string(after) + " after");
    }
    plan.out.push_back(before + in[static_cast<int>(i)] + after);
  }
  EDGETWIN_TRY(checks::output_shape(c, 0, plan.out));
  const auto strides = memory_strides(plan.out);
  for (size_t i = 0; i < pads.size() / 2; ++i) plan.inside += pads[2 * i] * strides[i];
  return plan;
}

Status check_value(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 3));
  if (c.input(2).dtype != c.input(0).dtype) return c.unsupported_types();
  if (c.input_shape(2).elements() == 1) return Ok{};
  return c.error(ErrorCode::op_shape,
                 "the value to pad with must be one element, it is " + to_string(c.input_shape(2)));
}

bool is_integer(DType type) {
  return integer_range(type).has_value() || type == DType::int64 || type == DType::uint64;
}

}  // namespace

Result<Prepared> prepare_pad(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const bool has_value = c.op().kind == OpKind::padv2;
  if (has_value) EDGETWIN_TRY(check_value(c));
  EDGETWIN_TRY_ASSIGN(const PadPlan plan, plan_pad(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {plan.out}));
  const auto inside = StridedPlan::make(c.input_shape(0), memory_strides(plan.out), plan.inside);
  const int64_t total = plan.out.elements();
  const int64_t zero = is_integer(c.output(0).dtype) ? c.output(0).quant.zero_point_of(0) : 0;
  return with_element_size(c, c.input(0).dtype, [&]<class T>(T) -> Result<Prepared> {
    prepared.run = [inside, total, zero, has_value](const Args& args) -> Status {
      const T value = has_value ? *args.input<T>(2) : static_cast<T>(zero);
      std::fill_n(args.output<T>(0), total, value);
      inside.scatter(args.input<T>(0), args.output<T>(0));
      return Ok{};
    };
    return std::move(prepared);
  });
}

}  // namespace edgetwin::ops
