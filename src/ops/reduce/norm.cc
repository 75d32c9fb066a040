// LayerNormalization, RMSNormalization, LpNormalization of ESP-DL: float arithmetic on integers.
// Source: specification of the runtime, operators 10; not compared with recorded results.
#include "ops/core/checks.h"
#include "ops/core/instantiate.h"
#include "ops/core/rows.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {
namespace {

using numerics::espdl::exponent;
using numerics::espdl::scale;

// A constant operand of n elements as real numbers; empty where it is absent.
[[gnu::cold]] Result<std::vector<float>> reals(const OpContext& c, size_t i, int64_t n) {
  std::vector<float> values;
  if (!c.has_input(i)) return values;
  const Bytes* data = c.constant(i);
  if (data == nullptr) return c.error(ErrorCode::op_constant, "scale and bias must be constant");
  const DType type = c.input(i).dtype;
  if (type != DType::int8 && type != DType::int16 && type != DType::float32) {
    return c.unsupported_types();
  }
  if (c.input_shape(i).elements() != n) {
    return c.error(ErrorCode::op_shape, "operand " + std::to_string(i) + " has " +
                                            to_string(c.input_shape(i)) + " elements, a row has " +
                                            std::to_string(n));
  }
  const float factor = type == DType::float32 ? 1.0F : scale(exponent(c.input(i).quant));
  for (int64_t k = 0; k < n; ++k) {
    values.push_back(static_cast<float>(element_as_double(type, *data, k)) * factor);
  }
  return values;
}

template <class T, class Unit>
[[gnu::cold]] Result<Prepared> norm_of(const OpContext& c) {
  const auto& a = c.op().as<NormAttrs>();
  const float si = scale(exponent(c.input(0).quant));
  const float so = scale(-exponent(c.output(0).quant));
  if (c.op().kind == OpKind::lp_norm) {
    EDGETWIN_TRY_ASSIGN(const Rows rows, rows_along(c, a.axis));
    if (a.p != 1 && a.p != 2) return c.error(ErrorCode::op_attribute, "p must be 1 or 2");
    return prepare_rows<T, T>(c, rows, numerics::espdl::LpNorm<T, Unit>{so, a.p, rows.stride == 1});
  }
  EDGETWIN_TRY_ASSIGN(const Rows rows, rows_from(c, a.axis));
  EDGETWIN_TRY_ASSIGN(const std::vector<float> gamma, reals(c, 1, rows.length));
  if (c.op().kind == OpKind::rms_norm) {
    return prepare_rows<T, T>(c, rows, numerics::espdl::RmsNorm<T, Unit>{si, so, a.epsilon, gamma});
  }
  EDGETWIN_TRY_ASSIGN(const std::vector<float> beta, reals(c, 2, rows.length));
  return prepare_rows<T, T>(c, rows,
                            numerics::espdl::LayerNorm<T, Unit>{si, so, a.epsilon, gamma, beta});
}

}  // namespace

template <class F>
Result<Prepared> prepare_norm(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  EDGETWIN_TRY(numerics::espdl::check_exponent(c.input(0).quant, "the input"));
  EDGETWIN_TRY(numerics::espdl::check_exponent(c.output(0).quant, "the output"));
  if (c.output_count() != 1) {
    return c.error(ErrorCode::op_unsupported, "mean and deviation as further outputs");
  }
  if (c.output(0).dtype != c.input(0).dtype) return c.unsupported_types();
  Result<Prepared> prepared = c.unsupported_types();
  if (c.input(0).dtype == DType::int8) prepared = norm_of<int8_t, typename F::Unit>(c);
  if (c.input(0).dtype == DType::int16) prepared = norm_of<int16_t, typename F::Unit>(c);
  if (!prepared.ok()) return prepared;
  prepared->findings.push_back({Severity::note, "", c.label(),
                                "a float computation known from reading the runtime: results of a "
                                "device may differ in the last bit",
                                ""});
  return prepared;
}

EDGETWIN_FOR_EACH_ESPDL(prepare_norm)

}  // namespace edgetwin::ops
