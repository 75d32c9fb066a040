// ARG_MAX: the index of the largest element along an axis, the first one among equals.
// Source: kernel specification 3.11.
#include <algorithm>
#include <cstring>

#include "ops/core/checks.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {
namespace {

// The input as outer x axis x inner.
struct ArgMaxPlan {
  int64_t outer, axis, inner;
};

template <class T, class Index>
Kernel arg_max_kernel(const ArgMaxPlan& p) {
  return [p](const Args& args) -> Status {
    const T* x = args.input<T>(0);
    Index* y = args.output<Index>(0);
    for (int64_t o = 0; o < p.outer; ++o, x += p.axis * p.inner) {
      for (int64_t i = 0; i < p.inner; ++i) {
        int64_t best = 0;
        for (int64_t k = 1; k < p.axis; ++k) {
          if (x[k * p.inner + i] > x[best * p.inner + i]) best = k;
        }
        *y++ = static_cast<Index>(best);
      }
    }
    return Ok{};
  };
}

// Eight keys: an element and what is left of a row of at most 256 after it, as one number of 16
// bits. The largest number belongs to the first among the largest elements.
using Bytes8 [[gnu::vector_size(8)]] = uint8_t;
using Keys8 [[gnu::vector_size(16)]] = int16_t;

// `flip` turns unsigned elements, read as signed ones, into the same order.
Keys8 keys_at(const void* x, int16_t index, uint8_t flip) {
  Bytes8 bytes;
  std::memcpy(&bytes, x, sizeof bytes);
  const Keys8 left = static_cast<int16_t>(255 - index) - Keys8{0, 1, 2, 3, 4, 5, 6, 7};
  return (__builtin_convertvector(bytes ^ flip, Keys8) << 8) | left;
}

// Rows of at least 8: the last eight may have been there before, which changes no maximum.
template <class T>
int first_largest(const T* x, int length) {
  constexpr uint8_t kFlip = std::is_signed_v<T> ? 0 : 0x80;
  Keys8 most = keys_at(x + length - 8, static_cast<int16_t>(length - 8), kFlip);
  for (int k = 0; k + 8 <= length; k += 8) {
    const Keys8 keys = keys_at(x + k, static_cast<int16_t>(k), kFlip);
    most = most > keys ? most : keys;
  }
  int16_t best = most[0];
  for (int i = 1; i < 8; ++i) best = std::max<int16_t>(best, most[i]);
  return 255 - (best & 255);
}

// Rows side by side.
template <class T, class Index>
Kernel byte_row_kernel(const ArgMaxPlan& p) {
  return [p](const Args& args) -> Status {
    args.pool.parallel_for(p.outer, grain_for(p.axis / 4), [&](int64_t begin, int64_t end, int) {
      const T* x = args.input<T>(0);
      Index* y = args.output<Index>(0);
      for (int64_t row = begin; row < end; ++row) {
        y[row] = static_cast<Index>(first_largest(x + row * p.axis, static_cast<int>(p.axis)));
      }
    });
    return Ok{};
  };
}

template <class Index>
Kernel fast_kernel_for(const OpContext& c, const ArgMaxPlan& p) {
  if (!c.options().fast || p.inner != 1 || p.axis < 8 || p.axis > 256) return nullptr;
  const DType type = c.input(0).dtype;
  if (type == DType::int8) return byte_row_kernel<int8_t, Index>(p);
  if (type == DType::uint8) return byte_row_kernel<uint8_t, Index>(p);
  return nullptr;
}

template <class Index>
Kernel kernel_for(const OpContext& c, const ArgMaxPlan& p) {
  if (Kernel fast = fast_kernel_for<Index>(c, p)) return fast;
  switch (c.input(0).dtype) {
    case DType::float32:
      return arg_max_kernel<float, Index>(p);
    case DType::int8:
      return arg_max_kernel<int8_t, Index>(p);
    case DType::uint8:
      return arg_max_kernel<uint8_t, Index>(p);
    case DType::int16:
      return arg_max_kernel<int16_t, Index>(p);
    case DType::int32:
      return arg_max_kernel<int32_t, Index>(p);
    default:
      return nullptr;
  }
}

}  // namespace

Result<Prepared> prepare_arg_max(const OpContext& c) {
  EDGETWIN_TRY(checks::operands(c, 2));
  const Shape& in = c.input_shape(0);
  EDGETWIN_TRY_ASSIGN(const int64_t wanted, checks::one_integer(c, 1, "the axis"));
  EDGETWIN_TRY_ASSIGN(const int axis, normal_axis(c, wanted, in.rank()));
  if (in[axis] == 0) {
    return c.error(ErrorCode::op_shape, "axis " + std::to_string(axis) + " of " + to_string(in) +
                                            " has no elements to choose from");
  }
  const ArgMaxPlan plan{in.elements(0, axis), in[axis], in.elements(axis + 1, in.rank())};
  Prepared prepared;
  Shape out;
  for (int i = 0; i < in.rank(); ++i) {
    if (i != axis) out.push_back(in[i]);
  }
  EDGETWIN_TRY(checks::output_shape(c, 0, out));
  prepared.output_shapes = {out};
  if (c.output(0).dtype == DType::int32) prepared.run = kernel_for<int32_t>(c, plan);
  if (c.output(0).dtype == DType::int64) prepared.run = kernel_for<int64_t>(c, plan);
  if (!prepared.run) return c.unsupported_types();
  return prepared;
}

}  // namespace edgetwin::ops
