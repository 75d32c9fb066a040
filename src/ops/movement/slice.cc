// SLICE: a box out of a tensor, given by its first element and its sizes.
// Source: kernel specification 3.6.
#include "ops/core/checks.h"
#include "ops/movement/prepare.h"
#include "ops/movement/strided_kernel.h"

namespace edgetwin::ops {
namespace {

struct SliceBox {
  Shape size;
  int64_t offset = 0;  // of its first element
};

[[gnu::cold]] Result<SliceBox> box(const OpContext& c) {
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> begin, c.constant_integers(1, "begin"));
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> size, c.constant_integers(2, "size"));
  const auto rank = static_cast<size_t>(in.rank());
  if (begin.size() != rank || size.size() != rank) {
    return c.error(ErrorCode::op_shape, "begin has " + std::to_string(begin.size()) + " and size " +
                                            std::to_string(size.size()) +
                                            " numbers, the input is " + to_string(in));
  }
  const auto strides = memory_strides(in);
  SliceBox result;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dim = in[static_cast<int>(i)];
    const bool begins = begin[i] >= 0 && begin[i] <= dim;
    const int64_t length = size[i] == -1 && begins ? dim - begin[i] : size[i];
    if (!begins || length < 0 || length > dim - begin[i]) {
      return c.error(ErrorCode::op_shape, "axis " + std::to_string(i) + ": " +
                                              std::to_string(size[i]) + " elements from " +
                                              std::to_string(begin[i]) + " are outside " +
                                              to_string(in));
    }
    result.size.push_back(length);
    result.offset += begin[i] * strides[i];
  }
  return result;
}

}  // namespace

Result<Prepared> prepare_slice(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 3));
  EDGETWIN_TRY_ASSIGN(const SliceBox b, box(c));
  EDGETWIN_TRY_ASSIGN(Prepared prepared, checks::movement(c, 0, 1, {b.size}));
  return gathered(c, std::move(prepared),
                  StridedPlan::make(b.size, memory_strides(c.input_shape(0)), b.offset));
}

}  // namespace edgetwin::ops
