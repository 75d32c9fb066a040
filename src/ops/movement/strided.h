// One contiguous side against one with strides: slices, transpositions, blocks, padding.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "ops/movement/tiles.h"
#include "tensor/shape.h"

namespace edgetwin::ops {

// `count` elements between two strides.
template <class T>
void copy_run(T* to, int64_t to_stride, const T* from, int64_t from_stride, int64_t count) {
  if (to_stride == 1 && from_stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i * to_stride] = from[i * from_stride];
}

// One tensor in memory order, the other at `base` plus index times stride in every dimension:
// slices, transpositions, the inside of a padded tensor. Strides may be negative.
class StridedPlan {
 public:
  static StridedPlan make(const Shape& shape, std::span<const int64_t> strides, int64_t base) {
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

  // fn(contiguous_offset, strided_offset, count, stride) for stretches of the contiguous side.
  template <class Fn>
  void for_each_run(Fn&& fn) const {
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

  // Copies a strided source into contiguous memory, and the other way round.
  template <class T>
  void gather(const T* strided, T* contiguous) const {
    const size_t turned = turned_dim();
    if (turned != 0 && !empty_) return gather_turned(turned, strided, contiguous);
    for_each_run([&](int64_t to, int64_t from, int64_t count, int64_t stride) {
      copy_run(contiguous + to, 1, strided + from, stride, count);
    });
  }
  template <class T>
  void scatter(const T* contiguous, T* strided) const {
    for_each_run([&](int64_t from, int64_t to, int64_t count, int64_t stride) {
      copy_run(strided + to, stride, contiguous + from, 1, count);
    });
  }

 private:
  struct Dim {
    int64_t size = 1;
    int64_t stride = 1;
  };

  // The dimension that lies side by side in the strided tensor where the innermost one does not: a
  // transposition; 0 where there is none.
  size_t turned_dim() const {
    if (dims_[0].stride == 1 || dims_[0].size < kTileSide) return 0;
    for (size_t d = 1; d < count_; ++d) {
      if (dims_[d].stride == 1 && dims_[d].size >= kTileSide) return d;
    }
    return 0;
  }

  template <class T>
  void gather_turned(size_t turned, const T* strided, T* contiguous) const {
    std::array<int64_t, Shape::kMaxRank> place = {};  // in the contiguous tensor, by dimension
    int64_t elements = 1;
    for (size_t d = 0; d < count_; ++d) {
      place[d] = elements;
      elements *= dims_[d].size;
    }
    std::array<int64_t, Shape::kMaxRank> index = {};
    const T* from = strided + base_;
    for (;;) {
      turn_matrix(from, dims_[0].stride, contiguous, place[turned], dims_[0].size,
                  dims_[turned].size);
      size_t d = 1;
      for (; d < count_; ++d) {
        if (d == turned) continue;
        from += dims_[d].stride;
        contiguous += place[d];
        if (++index[d] < dims_[d].size) break;
        index[d] = 0;
        from -= dims_[d].stride * dims_[d].size;
        contiguous -= place[d] * dims_[d].size;
      }
      if (d >= count_) return;
    }
  }

  std::array<Dim, Shape::kMaxRank> dims_ = {};  // innermost first
  size_t count_ = 0;
  int64_t base_ = 0;
  bool empty_ = false;
};

// The strides of a tensor in memory order.
inline std::array<int64_t, Shape::kMaxRank> memory_strides(const Shape& shape) {
  std::array<int64_t, Shape::kMaxRank> strides = {};
  for (int i = 0; i < shape.rank(); ++i) {
    strides[static_cast<size_t>(i)] = shape.elements(i + 1, shape.rank());
  }
  return strides;
}

}  // namespace edgetwin::ops
