// Rows of iterations whose outputs are words, one of each row: depthwise layers, additions, copies.
#pragma once

#include <array>
#include <vector>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"
#include "targets/edgetpu/machine/lanes/words.h"

namespace edgetwin::edgetpu::machine {

class WordRows {
 public:
  // `w.rows` is there.
  WordRows(const TensorIteration& w, const Tile& t);

  // Takes the lines at `weight`, unless it has them and `changed` is false; false: such lines are
  // multiplied otherwise.
  bool select(int32_t weight, bool changed, const std::array<int32_t, kMostLanes>& zero);
  // The rows that begin at `in`; sums of four lanes, one row after the other.
  void multiply(const Address* in, size_t count, const int32_t* first, int32_t* sums);

 private:
  const TensorIteration& w_;
  const Tile& t_;
  bool bytes_;  // inputs are bytes
  std::vector<int32_t> lines_;
  WordFactors factors_;
  bool there_ = false, fits_ = false;
  int32_t weight_ = 0;
  std::vector<const std::byte*> rows_;
};

}  // namespace edgetwin::edgetpu::machine
