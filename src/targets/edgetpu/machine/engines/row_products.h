// Rows of iterations multiplied: those that take the same lines side by side.
#pragma once

#include <array>
#include <vector>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {

class RowProducts {
 public:
  // For at most `most` sums of all lanes at a time; `w.rows` is there.
  RowProducts(const TensorIteration& w, Tile& t, size_t most);

  // Lanes of the sums that follow, and the zero points of their weights.
  void begin(const std::array<int32_t, kMostLanes>& zero, int lanes);
  int lanes() const { return lanes_; }
  // The lanes of sum `n`; those of the next sum follow.
  int32_t* sums(size_t n) { return sums_.data() + n * static_cast<size_t>(lanes_); }

  // Rows [first, first + count), which begin at `in` and `weight`, onto sums(0) and those after it.
  void multiply(const Address* in, const Address* weight, size_t count, size_t first_sum);

 private:
  uint64_t multiply_same_lines(const Address* in, const Address* weight, size_t sum, uint64_t left);
  void multiply_alone(int64_t in, int64_t weight, int32_t* sums);

  const TensorIteration& w_;
  const Rows& rows_;
  Tile& t_;
  std::vector<int32_t> sums_;   // lanes of one after the other
  std::vector<int32_t> lines_;  // from a row's first line: bytes of wide memory
  int lanes_ = 0;
  std::array<int32_t, kMostLanes> zero_{};
  std::array<int16_t, size_t{4} * kMostLanes> zeros_{};
  bool small_zeros_ = false;
};

}  // namespace edgetwin::edgetpu::machine
