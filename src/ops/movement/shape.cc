// SHAPE: the sizes of a tensor as a tensor. Everything is known when the operator is prepared.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"

namespace edgetwin::ops {
namespace {

template <class T>
Kernel write_sizes(const Shape& shape) {
  std::vector<T> sizes;
  for (const int64_t d : shape.dims()) sizes.push_back(static_cast<T>(d));
  return [sizes](const Args& args) -> Status {
    std::copy(sizes.begin(), sizes.end(), args.output<T>(0));
    return Ok{};
  };
}

}  // namespace

Result<Prepared> prepare_shape(const OpContext& c) {
  // Sizes fit int32: no tensor has more than kMaxTensorBytes elements.
  EDGETWIN_TRY(checks::operands(c, 1));
  const Shape& in = c.input_shape(0);
  Prepared prepared;
  prepared.output_shapes = {Shape{in.rank()}};
  switch (c.output(0).dtype) {
    case DType::int32:
      prepared.run = write_sizes<int32_t>(in);
      return prepared;
    case DType::int64:
      prepared.run = write_sizes<int64_t>(in);
      return prepared;
    default:
      return c.unsupported_types();
  }
}

}  // namespace edgetwin::ops
