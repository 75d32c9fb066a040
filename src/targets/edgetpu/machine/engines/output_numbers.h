// What sums begin with and what they are multiplied by, read once for outputs that share a set.
#pragma once

#include <array>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {

class OutputNumbers {
 public:
  OutputNumbers(const TensorIteration& w, const Tile& t) : w_(w), t_(t) {}

  // What start_sums() puts into the lanes of an output.
  const int32_t* starts(size_t output, int lanes) {
    select(output, lanes);
    return starts_.data();
  }
  // Of the lanes of alike() outputs, one after the other.
  const float* multipliers(size_t output, int lanes) {
    select(output, lanes);
    return multipliers_.data();
  }
  // How many outputs from this one on share its set and fill no more lanes than there are.
  size_t alike(size_t output, int lanes) {
    select(output, lanes);
    return std::min(end_ - output, static_cast<size_t>(kMostLanes / lanes));
  }

  // After the last output that has the set of the one asked for last.
  size_t end_of_set() const { return end_; }

 private:
  void select(size_t output, int lanes) {
    if (output >= begin_ && output < end_ && lanes == lanes_) return;
    load(output, lanes);
  }
  void load(size_t output, int lanes);
  // Keeps those outputs that have set `output * sets / outputs` too.
  void limit(size_t output, size_t sets);

  const TensorIteration& w_;
  const Tile& t_;
  size_t begin_ = 0, end_ = 0;
  int lanes_ = 0;
  std::array<int32_t, kMostLanes> starts_{};
  std::array<float, kMostLanes> multipliers_{};
};

}  // namespace edgetwin::edgetpu::machine
