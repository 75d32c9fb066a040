// Functions of one element: RELU and its kin, LOGISTIC, TANH, HARD_SWISH, those of ESP-DL,
// QUANTIZE.
#include <array>

#include "ops/core/byte_table.h"
#include "ops/core/checks.h"
#include "ops/core/common.h"
#include "ops/core/instantiate.h"
#include "ops/edgetpu/open.h"
#include "ops/elementwise/prepare.h"
#include "ops/fast/change.h"

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
    case OpKind::leaky_relu:
      return numerics::UnaryKind::leaky_relu;
    case OpKind::elu:
      return numerics::UnaryKind::elu;
    case OpKind::swish:
      return numerics::UnaryKind::swish;
    case OpKind::hard_sigmoid:
      return numerics::UnaryKind::hard_sigmoid;
    case OpKind::exp:
      return numerics::UnaryKind::exp;
    case OpKind::log:
      return numerics::UnaryKind::log;
    case OpKind::sqrt:
      return numerics::UnaryKind::sqrt;
    case OpKind::neg:
      return numerics::UnaryKind::neg;
    case OpKind::gelu:
      return numerics::UnaryKind::gelu;
    default:
      return numerics::UnaryKind::relu;
  }
}

constexpr int64_t kUnaryGrain = 16384;

// Applies f to every element; 8-bit inputs go through a table of all 256 values of f.
template <class Rule>
Kernel unary_kernel(const Rule& rule, int64_t elements, const KernelOptions& options) {
  using In = typename Rule::In;
  using Out = typename Rule::Out;
  const auto walk = [elements](const Args& args, const auto& f) -> Status {
    const In* x = args.input<In>(0);
    Out* y = args.output<Out>(0);
    args.pool.parallel_for(elements, kUnaryGrain, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[i] = f(x[i]);
    });
    return Ok{};
  };
  if constexpr (sizeof(In) == 1) {
    std::array<Out, 256> table;
    for (int i = 0; i < 256; ++i)
      table[static_cast<size_t>(i)] = rule(static_cast<In>(static_cast<uint8_t>(i)));
    if constexpr (sizeof(Out) == 1) {
      ByteTable bytes;
      std::memcpy(bytes.data(), table.data(), bytes.size());
      return byte_table_kernel(bytes, elements, options);
    }
    return [walk, table](const Args& args) {
      return walk(args, [&](In x) { return table[static_cast<uint8_t>(x)]; });
    };
  } else {
    return [walk, rule](const Args& args) { return walk(args, rule); };
  }
}

numerics::UnarySpec unary_spec(const OpContext& c) {
  numerics::UnarySpec spec{.kind = unary_kind(c.op().kind),
                           .in = c.input(0).quant,
                           .out = c.output(0).quant,
                           .elements = c.input_shape(0).elements(),
                           .edgetpu = c.options().edgetpu};
  if (const auto* a = std::get_if<AlphaAttrs>(&c.op().attrs)) {
    spec.alpha = a->alpha;
    spec.beta = a->beta;
  }
  return spec;
}

template <class Rule>
[[gnu::cold]] Result<Prepared> prepare_with(const OpContext& c) {
  const numerics::UnarySpec spec = unary_spec(c);
  EDGETWIN_TRY_ASSIGN(const Rule rule, make_rule<Rule>(c, spec));
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const int64_t elements = c.input_shape(0).elements();
  if (make_fast_unary(c.options(), rule, elements, prepared)) return prepared;
  prepared.run = unary_kernel(rule, elements, c.options());
  return prepared;
}

template <class F, class In>
[[gnu::cold]] Result<Prepared> quantize_from(const OpContext& c) {
  switch (c.output(0).dtype) {
    case DType::int8:
      return prepare_with<typename F::template Requantize<In, int8_t>>(c);
    case DType::uint8:
      return prepare_with<typename F::template Requantize<In, uint8_t>>(c);
    default:
      break;
  }
  if constexpr (!is_edgetpu<F>) {
    if (c.output(0).dtype == DType::int16) {
      return prepare_with<typename F::template Requantize<In, int16_t>>(c);
    }
    if (c.output(0).dtype == DType::int32) {
      return prepare_with<typename F::template Requantize<In, int32_t>>(c);
    }
  }
  return c.unsupported_types();
}

[[gnu::cold]] Result<Prepared> quantize_float(const OpContext& c) {
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

// Of ESP-DL an 8-bit table stands for the function; a 16-bit one is in the file, but not used.
template <class F>
bool uses_table(const OpContext& c) {
  constexpr bool has_tables = requires { typename F::Unit; };
  return has_tables && c.table() != nullptr && c.input(0).dtype == DType::int8 &&
         c.op().kind != OpKind::neg;
}

Finding unused_table(const OpContext& c) {
  return {Severity::note, "", c.label(),
          "the runtime ignores the table '" + c.table()->name +
              "' of this operator and computes in float32",
          "Only operators of type LUT or Gelu are looked up with 16 bits."};
}

}  // namespace

template <class F>
Result<Prepared> prepare_unary(const OpContext& c) {
  if constexpr (requires { typename F::Unit; }) {
    if (uses_table<F>(c)) return prepare_lut<F>(c);
  }
  const auto matches = [&]<class Rule>() {
    return dtype_of<typename Rule::In> == c.input(0).dtype &&
           dtype_of<typename Rule::Out> == c.output(0).dtype;
  };
  return with_rule(c, typename F::Unary{}, matches, [&]<class Rule>() -> Result<Prepared> {
    EDGETWIN_TRY_ASSIGN(Prepared prepared, prepare_with<Rule>(c));
    if (c.table() != nullptr) prepared.findings.push_back(unused_table(c));
    return prepared;
  });
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
    default:
      break;
  }
  if constexpr (!is_edgetpu<F>) {
    if (c.input(0).dtype == DType::int16) return quantize_from<F, int16_t>(c);
    if (c.input(0).dtype == DType::int32) return quantize_from<F, int32_t>(c);
  }
  return c.unsupported_types();
}

EDGETWIN_FOR_EACH_NUMERICS(prepare_unary)

template <class F>
[[gnu::cold]] Result<Prepared> prepare_assign(const OpContext& c) {
  const DType from = c.input(0).dtype;
  const DType to = c.output(0).dtype;
  const auto pair = [&](DType a, DType b) { return from == a && to == b; };
  using enum DType;
  if (pair(float32, int8)) return prepare_with<typename F::template QuantizeFloat<int8_t>>(c);
  if (pair(float32, int16)) return prepare_with<typename F::template QuantizeFloat<int16_t>>(c);
  if (pair(int8, float32)) return prepare_with<typename F::template DequantizeFloat<int8_t>>(c);
  if (pair(int16, float32)) return prepare_with<typename F::template DequantizeFloat<int16_t>>(c);
  if (pair(int8, int8)) return prepare_with<typename F::template Requantize<int8_t, int8_t>>(c);
  if (pair(int8, int16)) return prepare_with<typename F::template Requantize<int8_t, int16_t>>(c);
  if (pair(int16, int8)) return prepare_with<typename F::template Requantize<int16_t, int8_t>>(c);
  if (pair(int16, int16)) return prepare_with<typename F::template Requantize<int16_t, int16_t>>(c);
  if (from != to) return c.unsupported_types();
  return checks::moved_whole(c, c.input_shape(0));
}

EDGETWIN_FOR_EACH_TFLITE(prepare_quantize)
EDGETWIN_FOR_EACH_EDGETPU(prepare_quantize)
EDGETWIN_FOR_EACH_ESPDL(prepare_assign)

}  // namespace edgetwin::ops
