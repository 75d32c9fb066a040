// SQRT and RSQRT on float32: the square root and the division each correctly rounded.
// Source: kernel specification 7.
#include <cmath>

#include "ops/core/checks.h"
#include "ops/elementwise/prepare.h"

namespace edgetwin::ops {

Result<Prepared> prepare_float_unary(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 1));
  if (c.input(0).dtype != DType::float32 || c.output(0).dtype != DType::float32) {
    return c.unsupported_types();
  }
  Prepared prepared;
  prepared.output_shapes = {c.input_shape(0)};
  const int64_t elements = c.input_shape(0).elements();
  const bool inverse = c.op().kind == OpKind::rsqrt;
  prepared.run = [elements, inverse](const Args& args) -> Status {
    const float* x = args.input<float>(0);
    float* y = args.output<float>(0);
    for (int64_t i = 0; i < elements; ++i) {
      const float root = std::sqrt(x[i]);
      y[i] = inverse ? 1.0F / root : root;
    }
    return Ok{};
  };
  return prepared;
}

}  // namespace edgetwin::ops
