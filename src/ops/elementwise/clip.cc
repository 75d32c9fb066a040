// Clip and PRelu of ESP-DL. Source: specification of the runtime, operators 4.
#include "ops/core/checks.h"
#include "ops/core/instantiate.h"
#include "ops/elementwise/prepare.h"
#include "ops/fast/slopes.h"

namespace edgetwin::ops {
namespace {

using numerics::espdl::exponent;

constexpr int64_t kClipGrain = 16384;

// A constant bound of one element of the input's type.
template <class T>
[[gnu::cold]] Result<T> bound(const OpContext& c, size_t i, T otherwise) {
  if (!c.has_input(i)) return otherwise;
  const Bytes* data = c.constant(i);
  if (data == nullptr) return c.error(ErrorCode::op_constant, "the bounds must be constant");
  if (c.input(i).dtype != dtype_of<T>) return c.unsupported_types();
  if (data->size() != sizeof(T)) {
    return c.error(ErrorCode::op_shape,
                   "a bound must be one element, it is " + to_string(c.input_shape(i)));
  }
  T value;
  std::memcpy(&value, data->data(), sizeof(T));
  return value;
}

template <class T, class Rule>
[[gnu::cold]] Result<Prepared> each(const OpContext& c, const Rule& rule) {
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const int64_t elements = c.input_shape(0).elements();
  prepared.run = [rule, elements](const Args& args) -> Status {
    const T* x = args.input<T>(0);
    T* y = args.output<T>(0);
    args.pool.parallel_for(elements, kClipGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[i] = rule(x[i]);
    });
    return Ok{};
  };
  return prepared;
}

template <class F, class T>
[[gnu::cold]] Result<Prepared> clip_of(const OpContext& c) {
  EDGETWIN_TRY(numerics::espdl::check_exponent(c.input(0).quant, "the input"));
  EDGETWIN_TRY(numerics::espdl::check_exponent(c.output(0).quant, "the output"));
  numerics::espdl::Clip<T, typename F::Unit> rule;
  EDGETWIN_TRY_ASSIGN(rule.low, bound<T>(c, 1, rule.low));
  EDGETWIN_TRY_ASSIGN(rule.high, bound<T>(c, 2, rule.high));
  rule.factor = numerics::espdl::scale(exponent(c.input(0).quant)) *
                numerics::espdl::scale(-exponent(c.output(0).quant));
  return each<T>(c, rule);
}

// A lower bound that is absent is the smallest positive number in the runtime: negative inputs
// become almost zero.
[[gnu::cold]] Result<Prepared> clip_float(const OpContext& c) {
  EDGETWIN_TRY_ASSIGN(const float low, bound<float>(c, 1, std::numeric_limits<float>::min()));
  EDGETWIN_TRY_ASSIGN(const float high, bound<float>(c, 2, std::numeric_limits<float>::max()));
  return each<float>(c, [low, high](float x) { return std::min(std::max(x, low), high); });
}

struct PReluPlan {
  int64_t channels = 1;
  bool single = false;
};

[[gnu::cold]] Result<PReluPlan> plan_prelu(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(0);
  if (in.rank() != 4 || in.elements() < 1) {
    return c.error(ErrorCode::op_shape, "the input must be 1xHxWxC, it is " + to_string(in));
  }
  const int64_t slopes = c.input_shape(1).elements();
  if (slopes != 1 && slopes != in[3]) {
    return c.error(ErrorCode::op_shape, std::to_string(slopes) + " slopes, the input has " +
                                            std::to_string(in[3]) + " channels");
  }
  return PReluPlan{in[3], slopes == 1};
}

template <class T, class Rule>
[[gnu::cold]] Result<Prepared> prelu_kernel(const OpContext& c, const Rule& rule) {
  EDGETWIN_TRY_ASSIGN(const PReluPlan p, plan_prelu(c));
  if (c.input(1).dtype != dtype_of<T>) return c.unsupported_types();
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const int64_t pixels = c.input_shape(0).elements() / p.channels;
  prepared.run = [p, pixels, rule](const Args& args) -> Status {
    const T* x = args.input<T>(0);
    const T* alpha = args.input<T>(1);
    T* y = args.output<T>(0);
    args.pool.parallel_for(pixels, grain_for(p.channels), [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin * p.channels; i < end * p.channels; ++i) {
        y[i] = rule(x[i], alpha[p.single ? 0 : i % p.channels]);
      }
    });
    return Ok{};
  };
  return prepared;
}

template <class F, class T>
[[gnu::cold]] Result<Prepared> prelu_of(const OpContext& c) {
  const int e = exponent(c.input(0).quant);
  const int e_out = exponent(c.output(0).quant);
  const numerics::espdl::PRelu<T, typename F::Unit> rule{e_out - e,
                                                         e_out - e - exponent(c.input(1).quant)};
  EDGETWIN_TRY_ASSIGN(Prepared prepared, prelu_kernel<T>(c, rule));
  make_fast_prelu(c, rule, c.input_shape(0)[3], prepared);
  checks::note_quantization(c, c.input(0), c.output(0), prepared, Severity::warning);
  if (c.input_shape(1).elements() == 1 && sizeof(T) == 1 && !c.options().allow_undefined) {
    return c.error(ErrorCode::op_undefined,
                   "one slope without a table: the runtime reads past the slope's end");
  }
  return prepared;
}

}  // namespace

template <class F>
Result<Prepared> prepare_clip(const OpContext& c) {
  if (c.table() != nullptr && c.input(0).dtype == DType::int8) return prepare_lut<F>(c);
  const bool alone = !c.has_input(1) && !c.has_input(2);
  if (c.output(0).dtype != c.input(0).dtype) return c.unsupported_types();
  switch (c.input(0).dtype) {
    case DType::int8:
      return alone ? prepare_assign<F>(c) : clip_of<F, int8_t>(c);
    case DType::int16:
      return alone ? prepare_assign<F>(c) : clip_of<F, int16_t>(c);
    case DType::float32:
      return clip_float(c);
    default:
      return c.unsupported_types();
  }
}

template <class F>
Result<Prepared> prepare_prelu(const OpContext& c) {
  if (c.table() != nullptr && c.input(0).dtype == DType::int8) return prepare_lut<F>(c);
  if (c.output(0).dtype != c.input(0).dtype) return c.unsupported_types();
  switch (c.input(0).dtype) {
    case DType::int8:
      return prelu_of<F, int8_t>(c);
    case DType::int16:
      return prelu_of<F, int16_t>(c);
    case DType::float32:
      return prelu_kernel<float>(c, [](float x, float a) { return x < 0.0F ? x * a : x; });
    default:
      return c.unsupported_types();
  }
}

EDGETWIN_FOR_EACH_ESPDL(prepare_clip)
EDGETWIN_FOR_EACH_ESPDL(prepare_prelu)

}  // namespace edgetwin::ops
