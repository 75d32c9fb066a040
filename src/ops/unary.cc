// Functions of one element: RELU and its kin, LOGISTIC, TANH, HARD_SWISH, QUANTIZE.
#include <array>

#include "ops/common.h"
#include "ops/instantiate.h"

namespace edgetwin::ops {
namespace {

numerics::UnaryKind unary_kind(OpKind kind) {
  switch (kind) {
    case OpKind::relu6:
      return numerics::UnaryKind::relu6;
    case OpKind::relu_n1_to_1:
      return numerics::UnaryKind::relu_n1_to_1;
    case OpKind::logistic:
      return numerics::UnaryKind::logistic;
    case OpKind::tanh:
      return numerics::UnaryKind::tanh;
    case OpKind::hard_swish:
      return numerics::UnaryKind::hard_swish;
    case OpKind::quantize:
      return numerics::UnaryKind::requantize;
    default:
      return numerics::UnaryKind::relu;
  }
}

constexpr int64_t kGrain = 16384;

// Applies f to every element; 8-bit inputs go through a table of all 256 values of f.
template <class Rule>
Kernel unary_kernel(const Rule& rule, int64_t elements) {
  using In = typename Rule::In;
  using Out = typename Rule::Out;
  const auto walk = [elements](const Args& args, const auto& f) -> Status {
    const In* x = args.input<In>(0);
    Out* y = args.output<Out>(0);
    args.pool.parallel_for(elements, kGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[i] = f(x[i]);
    });
    return Ok{};
  };
  if constexpr (sizeof(In) == 1) {
    std::array<Out, 256> table;
    for (int i = 0; i < 256; ++i)
      table[static_cast<size_t>(i)] = rule(static_cast<In>(static_cast<uint8_t>(i)));
    return [walk, table](const Args& args) {
      return walk(args, [&](In x) { return table[static_cast<uint8_t>(x)]; });
    };
  } else {
    return [walk, rule](const Args& args) { return walk(args, rule); };
  }
}

template <class Rule>
Result<Prepared> prepare_with(const OpContext& c) {
  const numerics::UnarySpec spec{unary_kind(c.op().kind), c.input(0).quant, c.output(0).quant};
  EDGETWIN_TRY_ASSIGN(const Rule rule, make_rule<Rule>(c, spec));
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  prepared.run = unary_kernel(rule, c.input_shape(0).elements());
  return prepared;
}

template <class F, class In>
Result<Prepared> quantize_from(const OpContext& c) {
  switch (c.output(0).dtype) {
    case DType::int8:
      return prepare_with<typename F::template Requantize<In, int8_t>>(c);
    case DType::uint8:
      return prepare_with<typename F::template Requantize<In, uint8_t>>(c);
    case DType::int16:
      return prepare_with<typename F::template Requantize<In, int16_t>>(c);
    case DType::int32:
      return prepare_with<typename F::template Requantize<In, int32_t>>(c);
    default:
      return c.unsupported_types();
  }
}

Result<Prepared> quantize_float(const OpContext& c) {
  switch (c.output(0).dtype) {
    case DType::int8:
      return prepare_with<numerics::tflite::QuantizeFloat<int8_t>>(c);
    case DType::uint8:
      return prepare_with<numerics::tflite::QuantizeFloat<uint8_t>>(c);
    case DType::int16:
      return prepare_with<numerics::tflite::QuantizeFloat<int16_t>>(c);
    default:
      return c.unsupported_types();
  }
}

}  // namespace

template <class F>
Result<Prepared> prepare_unary(const OpContext& c) {
  const auto matches = [&]<class Rule>() {
    return dtype_of<typename Rule::In> == c.input(0).dtype &&
           dtype_of<typename Rule::Out> == c.output(0).dtype;
  };
  return with_rule(c, typename F::Unary{}, matches,
                   [&]<class Rule>() -> Result<Prepared> { return prepare_with<Rule>(c); });
}

template <class F>
Result<Prepared> prepare_quantize(const OpContext& c) {
  switch (c.input(0).dtype) {
    case DType::float32:
      return quantize_float(c);
    case DType::int8:
      return quantize_from<F, int8_t>(c);
    case DType::uint8:
      return quantize_from<F, uint8_t>(c);
    case DType::int16:
      return quantize_from<F, int16_t>(c);
    case DType::int32:
      return quantize_from<F, int32_t>(c);
    default:
      return c.unsupported_types();
  }
}

EDGETWIN_FOR_EACH_FLAVOUR(prepare_unary)
EDGETWIN_FOR_EACH_FLAVOUR(prepare_quantize)

}  // namespace edgetwin::ops
