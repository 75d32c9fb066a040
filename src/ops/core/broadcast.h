// Two operands under NumPy's broadcasting rules, walked in stretches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tensor/shape.h"

namespace edgetwin::ops {

// Made once per operator. Neighbouring dimensions in which both operands behave alike become one,
// so that the usual cases (same shape, one scalar, one vector along the channels) are a single run
// or one run per position.
class BroadcastPlan {
 public:
  // `out` must be broadcast(a, b) (tensor/shape.h).
  static BroadcastPlan make(const Shape& a, const Shape& b, const Shape& out) {
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

  // The innermost run: its length, and whether an operand stays at one element along it.
  int64_t inner_size() const { return dims_[0].size; }
  bool inner_a_stays() const { return !dims_[0].a_moves && dims_[0].size > 1; }
  bool inner_b_stays() const { return !dims_[0].b_moves && dims_[0].size > 1; }

  // Whether an operand has the output's shape.
  bool a_is_whole() const { return is_whole(&Dim::a_moves); }
  bool b_is_whole() const { return is_whole(&Dim::b_moves); }

  // Whether an operand is the innermost run again and again, and nothing else.
  bool a_is_one_run() const { return is_one_run(&Dim::a_moves); }
  bool b_is_one_run() const { return is_one_run(&Dim::b_moves); }

  // fn(offset_a, offset_b, offset_out, count, stride_a, stride_b) for stretches of the output that
  // follow each other without gap; element i of a stretch belongs to a[offset_a + i * stride_a] and
  // b[offset_b + i * stride_b]. Strides are 0 or 1. An empty output has no stretches.
  template <class Fn>
  void for_each_run(Fn&& fn) const {
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

 private:
  struct Dim {
    int64_t size = 1;
    bool a_moves = false;  // operand a has this dimension; false: it is repeated
    bool b_moves = false;
    int64_t stride_a = 0;
    int64_t stride_b = 0;
  };

  bool is_whole(bool Dim::*moves) const {
    for (size_t d = 0; d < count_; ++d) {
      if (!(dims_[d].*moves) && dims_[d].size > 1) return false;
    }
    return true;
  }

  bool is_one_run(bool Dim::*moves) const {
    for (size_t d = 1; d < count_; ++d) {
      if (dims_[d].*moves) return false;
    }
    return dims_[0].*moves;
  }

  void add(Dim dim) {
    if (count_ > 0) {
      Dim& inner = dims_[count_ - 1];
      if (inner.a_moves == dim.a_moves && inner.b_moves == dim.b_moves) {
        inner.size *= dim.size;
        return;
      }
    }
    dims_[count_++] = dim;
  }

  void set_strides() {
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

  std::array<Dim, Shape::kMaxRank> dims_ = {};  // innermost first
  size_t count_ = 0;
  bool empty_ = false;
};

}  // namespace edgetwin::ops
