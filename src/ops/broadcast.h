// How operators that treat every element alike walk over their tensors: two operands under NumPy's
// broadcasting rules, and one contiguous side against one with strides. And what all of them check.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ops/common.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace edgetwin::ops {

// Made once per operator. Neighbouring dimensions in which both operands behave alike become one,
// so that the usual cases (same shape, one scalar, one vector along the channels) are a single run
// or one run per position.
class BroadcastPlan {
 public:
  // `out` must be broadcast(a, b) (tensor/shape.h).
  static BroadcastPlan make(const Shape& a, const Shape& b, const Shape& out);

  // fn(offset_a, offset_b, offset_out, count, stride_a, stride_b) for stretches of the output that
  // follow each other without gap; element i of a stretch belongs to a[offset_a + i * stride_a] and
  // b[offset_b + i * stride_b]. Strides are 0 or 1. An empty output has no stretches.
  template <class Fn>
  void for_each_run(Fn&& fn) const;

 private:
  struct Dim {
    int64_t size = 1;
    bool a_moves = false;  // operand a has this dimension; false: it is repeated
    bool b_moves = false;
    int64_t stride_a = 0;
    int64_t stride_b = 0;
  };

  void add(Dim dim);
  void set_strides();

  std::array<Dim, Shape::kMaxRank> dims_ = {};  // innermost first
  size_t count_ = 0;
  bool empty_ = false;
};

inline BroadcastPlan BroadcastPlan::make(const Shape& a, const Shape& b, const Shape& out) {
  BroadcastPlan plan;
  for (int i = 0; i < out.rank(); ++i) {
    const int64_t size = out.back(i);
    if (size == 0) plan.empty_ = true;
    if (size == 1) continue;
    plan.add({.size = size, .a_moves = a.back(i) == size, .b_moves = b.back(i) == size});
  }
  plan.set_strides();
  return plan;
}

inline void BroadcastPlan::add(Dim dim) {
  if (count_ > 0) {
    Dim& inner = dims_[count_ - 1];
    if (inner.a_moves == dim.a_moves && inner.b_moves == dim.b_moves) {
      inner.size *= dim.size;
      return;
    }
  }
  dims_[count_++] = dim;
}

inline void BroadcastPlan::set_strides() {
  if (count_ == 0) count_ = 1;  // one element: a run of length 1
  int64_t size_a = 1;
  int64_t size_b = 1;
  for (size_t d = 0; d < count_; ++d) {
    Dim& dim = dims_[d];
    dim.stride_a = dim.a_moves ? size_a : 0;
    dim.stride_b = dim.b_moves ? size_b : 0;
    if (dim.a_moves) size_a *= dim.size;
    if (dim.b_moves) size_b *= dim.size;
  }
}

template <class Fn>
void BroadcastPlan::for_each_run(Fn&& fn) const {
  if (empty_) return;
  const Dim& inner = dims_[0];
  std::array<int64_t, Shape::kMaxRank> index = {};
  int64_t a = 0;
  int64_t b = 0;
  int64_t out = 0;
  for (;;) {
    fn(a, b, out, inner.size, inner.stride_a, inner.stride_b);
    out += inner.size;
    size_t d = 1;
    for (; d < count_; ++d) {
      const Dim& dim = dims_[d];
      a += dim.stride_a;
      b += dim.stride_b;
      if (++index[d] < dim.size) break;
      index[d] = 0;
      a -= dim.stride_a * dim.size;
      b -= dim.stride_b * dim.size;
    }
    if (d >= count_) return;
  }
}

// One tensor in memory order, the other at `base` plus index times stride in every dimension:
// slices, transpositions, the inside of a padded tensor. Strides may be negative.
class StridedPlan {
 public:
  static StridedPlan make(const Shape& shape, std::span<const int64_t> strides, int64_t base);

  // fn(contiguous_offset, strided_offset, count, stride) for stretches of the contiguous side.
  template <class Fn>
  void for_each_run(Fn&& fn) const;

  // Copies a strided source into contiguous memory, and the other way round.
  template <class T>
  void gather(const T* strided, T* contiguous) const;
  template <class T>
  void scatter(const T* contiguous, T* strided) const;

 private:
  struct Dim {
    int64_t size = 1;
    int64_t stride = 1;
  };
  std::array<Dim, Shape::kMaxRank> dims_ = {};  // innermost first
  size_t count_ = 0;
  int64_t base_ = 0;
  bool empty_ = false;
};

inline StridedPlan StridedPlan::make(const Shape& shape, std::span<const int64_t> strides,
                                     int64_t base) {
  StridedPlan plan;
  plan.base_ = base;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const Dim dim{shape[i], strides[static_cast<size_t>(i)]};
    if (dim.size == 0) plan.empty_ = true;
    if (dim.size <= 1) continue;
    if (plan.count_ > 0) {
      Dim& inner = plan.dims_[plan.count_ - 1];
      if (dim.stride == inner.stride * inner.size) {
        inner.size *= dim.size;
        continue;
      }
    }
    plan.dims_[plan.count_++] = dim;
  }
  plan.count_ = std::max<size_t>(plan.count_, 1);
  return plan;
}

template <class Fn>
void StridedPlan::for_each_run(Fn&& fn) const {
  if (empty_) return;
  const Dim& inner = dims_[0];
  std::array<int64_t, Shape::kMaxRank> index = {};
  int64_t contiguous = 0;
  int64_t strided = base_;
  for (;;) {
    fn(contiguous, strided, inner.size, inner.stride);
    contiguous += inner.size;
    size_t d = 1;
    for (; d < count_; ++d) {
      strided += dims_[d].stride;
      if (++index[d] < dims_[d].size) break;
      index[d] = 0;
      strided -= dims_[d].stride * dims_[d].size;
    }
    if (d >= count_) return;
  }
}

template <class T>
void StridedPlan::gather(const T* strided, T* contiguous) const {
  for_each_run([&](int64_t to, int64_t from, int64_t count, int64_t stride) {
    if (stride == 1) {
      std::memcpy(contiguous + to, strided + from, static_cast<size_t>(count) * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < count; ++i) contiguous[to + i] = strided[from + i * stride];
  });
}

template <class T>
void StridedPlan::scatter(const T* contiguous, T* strided) const {
  for_each_run([&](int64_t from, int64_t to, int64_t count, int64_t stride) {
    if (stride == 1) {
      std::memcpy(strided + to, contiguous + from, static_cast<size_t>(count) * sizeof(T));
      return;
    }
    for (int64_t i = 0; i < count; ++i) strided[to + i * stride] = contiguous[from + i];
  });
}

// The strides of a tensor in memory order.
inline std::array<int64_t, Shape::kMaxRank> memory_strides(const Shape& shape) {
  std::array<int64_t, Shape::kMaxRank> strides = {};
  for (int i = 0; i < shape.rank(); ++i) {
    strides[static_cast<size_t>(i)] = shape.elements(i + 1, shape.rank());
  }
  return strides;
}

// std::memcpy that allows null pointers where there is nothing to copy.
inline void copy_bytes(void* to, const void* from, int64_t size) {
  if (size > 0 && to != from) std::memcpy(to, from, static_cast<size_t>(size));
}

namespace checks {

// True if even the product without the sizes that are 0 is within the limit: then no offset and no
// product of some of the sizes overflows either.
inline bool fits(DType type, const Shape& shape) {
  int64_t bytes = std::max(1, bits(type) / 8);
  for (const int64_t dim : shape.dims()) {
    if (dim < 0 || bytes > kMaxTensorBytes / std::max<int64_t>(1, dim)) return false;
    bytes *= std::max<int64_t>(1, dim);
  }
  return true;
}

// Operands [0, count) are there and of usable size. Errors: graph_arity, op_shape.
inline Status operands(const OpContext& c, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!c.has_input(i)) {
      return c.error(ErrorCode::graph_arity, "input " + std::to_string(i) + " is missing");
    }
    if (!fits(c.input(i).dtype, c.input_shape(i))) {
      return c.error(ErrorCode::op_shape, "input " + std::to_string(i) + " is " +
                                              to_string(c.input_shape(i)) +
                                              ", beyond the limit or not known");
    }
  }
  return Ok{};
}

inline Status output_shape(const OpContext& c, size_t i, const Shape& shape) {
  if (fits(c.output(i).dtype, shape)) return Ok{};
  return c.error(ErrorCode::op_shape, "output " + std::to_string(i) + " would be " +
                                          to_string(shape) + ", beyond the limit of " +
                                          std::to_string(kMaxTensorBytes) + " bytes");
}

// Dimensions joined to a shape; more than a tensor can have is an error (op_shape).
inline Result<Shape> joined(const OpContext& c, const std::vector<int64_t>& dims) {
  if (dims.size() > Shape::kMaxRank) {
    return c.error(ErrorCode::op_shape, "the output would have " + std::to_string(dims.size()) +
                                            " dimensions, at most 8 are possible");
  }
  return Shape(std::span<const int64_t>(dims));
}

// Where elements pass unchanged, operands of other scales change their meaning. The converter
// guarantees equal ones; a file that breaks this is run all the same, and the user is told.
inline void note_quantization(const OpContext& c, const Value& in, const Value& out,
                              Prepared& prepared) {
  const Quant& a = in.quant;
  const Quant& b = out.quant;
  if (!a.present() || !b.present()) return;
  if (a.scale == b.scale && a.zero_point == b.zero_point && a.exponent == b.exponent) return;
  prepared.findings.push_back({Severity::note, "", c.label(),
                               "'" + in.name + "' has " + to_string(a) + ", '" + out.name +
                                   "' has " + to_string(b) + "; elements pass unchanged",
                               ""});
}

// The result of an operator that moves elements of inputs [first, last) into its outputs of the
// given shapes: types must be equal. Errors: op_type, op_shape.
inline Result<Prepared> movement(const OpContext& c, size_t first, size_t last,
                                 std::vector<Shape> shapes) {
  Prepared prepared;
  const DType type = c.input(first).dtype;
  if (shapes.size() != c.output_count()) {
    return c.error(ErrorCode::graph_arity, std::to_string(c.output_count()) + " outputs, " +
                                               std::to_string(shapes.size()) + " expected");
  }
  for (size_t o = 0; o < shapes.size(); ++o) {
    if (c.output(o).dtype != type) return c.unsupported_types();
    EDGETWIN_TRY(output_shape(c, o, shapes[o]));
  }
  for (size_t i = first; i < last; ++i) {
    if (c.input(i).dtype != type) return c.unsupported_types();
    note_quantization(c, c.input(i), c.output(0), prepared);
  }
  prepared.output_shapes = std::move(shapes);
  return prepared;
}

// The output shape of an element-wise operator with two operands. Error: op_shape.
inline Result<Shape> broadcast_shape(const OpContext& c) {
  EDGETWIN_TRY(operands(c, 2));
  const auto out = broadcast(c.input_shape(0), c.input_shape(1));
  if (!out) {
    return c.error(ErrorCode::op_shape, "the inputs " + to_string(c.input_shape(0)) + " and " +
                                            to_string(c.input_shape(1)) +
                                            " cannot be broadcast to each other");
  }
  EDGETWIN_TRY(output_shape(c, 0, *out));
  return *out;
}

// A constant with exactly one integer. Errors: op_constant, op_type, op_shape.
inline Result<int64_t> one_integer(const OpContext& c, size_t i, const std::string& what) {
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> values, c.constant_integers(i, what));
  if (values.size() == 1) return int64_t{values[0]};
  return c.error(ErrorCode::op_shape,
                 what + " must be one number, it has " + std::to_string(values.size()));
}

}  // namespace checks
}  // namespace edgetwin::ops
