// DEQUANTIZE: integers to real numbers, float32(scale) * float32(x - zero point); and float16 to
// float32, as float16 models have it at their constants. Source: kernel specification 3.8.
#include "kernels/elements/affine.h"
#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"
#include "ops/fast/wanted_isa.h"
#include "tensor/float16.h"

namespace edgetwin::ops {
namespace {

// The input as outer x channels x inner, with one scale per channel.
struct DequantizePlan {
  Quant quant;
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
};

[[gnu::cold]] Result<DequantizePlan> plan_dequantize(const OpContext& c) {
  const Quant& q = c.input(0).quant;
  const Shape& in = c.input_shape(0);
  if (!q.present() || q.channels() == 0) {
    return c.error(ErrorCode::op_quant, "the input has no scale");
  }
  if (!q.per_channel()) return DequantizePlan{q, 1, 1, in.elements()};
  const auto channels = static_cast<int64_t>(q.channels());
  if (q.axis < 0 || q.axis >= in.rank() || in[q.axis] != channels) {
    return c.error(ErrorCode::op_quant, to_string(q) + ", the input is " + to_string(in));
  }
  return DequantizePlan{q, in.elements(0, q.axis), channels, in.elements(q.axis + 1, in.rank())};
}

template <class T>
Kernel dequantize_kernel(const DequantizePlan& p) {
  return [p](const Args& args) -> Status {
    const T* x = args.input<T>(0);
    float* y = args.output<float>(0);
    for (int64_t row = 0; row < p.outer * p.channels; ++row) {
      const auto channel = static_cast<size_t>(row % p.channels);
      const float scale = p.quant.scale_of(channel);
      const int64_t zero_point = p.quant.zero_point_of(channel);
      for (int64_t i = 0; i < p.inner; ++i) *y++ = scale * static_cast<float>(*x++ - zero_point);
    }
    return Ok{};
  };
}

// The same where there is one scale.
Kernel fast_dequantize_kernel(const DequantizePlan& p, DType type,
                              const kernels::AffineTable& table) {
  constexpr int64_t kGrain = 32768;
  const kernels::AffineChange change{.type = type == DType::int8    ? kernels::AffineType::int8
                                             : type == DType::uint8 ? kernels::AffineType::uint8
                                                                    : kernels::AffineType::int16,
                                     .scale = p.quant.scale_of(0),
                                     .zero = static_cast<int32_t>(p.quant.zero_point_of(0))};
  const auto size = static_cast<int64_t>(byte_size(type));
  return [change, size, elements = p.inner, kernel = table.dequantize](const Args& args) -> Status {
    args.pool.parallel_for(elements, kGrain, [&](int64_t begin, int64_t end, int) {
      kernel(change, args.inputs[0] + begin * size, args.output<float>(0) + begin, end - begin);
    });
    return Ok{};
  };
}

// Differences from a zero point of these fit 32 bits.
bool has_small_zero(const Quant& q) {
  const int64_t zero = q.zero_point_of(0);
  return zero >= -(1 << 20) && zero <= 1 << 20;
}

Kernel half_kernel(int64_t elements) {
  return [elements](const Args& args) -> Status {
    const auto* x = args.input<uint16_t>(0);
    std::transform(x, x + elements, args.output<float>(0), half_to_float);
    return Ok{};
  };
}

}  // namespace

Result<Prepared> prepare_dequantize(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  if (c.output(0).dtype != DType::float32) return c.unsupported_types();
  EDGETWIN_TRY(checks::output_shape(c, 0, c.input_shape(0)));
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const DType type = c.input(0).dtype;
  if (type == DType::float16) {
    prepared.run = half_kernel(c.input_shape(0).elements());
    return prepared;
  }
  if (type != DType::int8 && type != DType::uint8 && type != DType::int16) {
    return c.unsupported_types();
  }
  EDGETWIN_TRY_ASSIGN(const DequantizePlan plan, plan_dequantize(c));
  const kernels::Isa isa = wanted_isa(c.options());
  const kernels::AffineTable* table = kernels::affine_table(isa);
  if (table != nullptr && !plan.quant.per_channel() && has_small_zero(plan.quant)) {
    prepared.path = std::string(kernels::name(isa));
    prepared.run = fast_dequantize_kernel(plan, type, *table);
    return prepared;
  }
  prepared.run = type == DType::int8    ? dequantize_kernel<int8_t>(plan)
                 : type == DType::uint8 ? dequantize_kernel<uint8_t>(plan)
                                        : dequantize_kernel<int16_t>(plan);
  return prepared;
}

}  // namespace edgetwin::ops
