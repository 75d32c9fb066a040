// What a tensor instruction finds in memory when an iteration begins.
#pragma once

#include <algorithm>
#include <vector>

#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::machine {

// Who fills the buffers is a pass ahead at most: what an iteration reads is put into memory before.
class Passes {
 public:
  Passes(const TensorIteration& w, size_t tile, Tile& t, const std::vector<Address>& in,
         const std::vector<Address>& weight)
      : w_(w),
        tile_(tile),
        t_(t),
        inputs_(in),
        weights_(weight),
        has_inputs_(w.streamed_input(tile)),
        has_weights_(w.streamed_weights()) {}
  void commit(size_t n) {
    if (has_inputs_ && inputs_[n].pass != in_) {
      commit_input(w_, t_, inputs_[n]);
      in_ = inputs_[n].pass;
    }
    if (has_weights_ && weights_[n].pass != weight_) {
      commit_weights(w_, tile_, t_, weights_[n]);
      weight_ = weights_[n].pass;
    }
  }
  // Whether commit() would change memory.
  bool changes(size_t n) const {
    return (has_inputs_ && inputs_[n].pass != in_) || (has_weights_ && weights_[n].pass != weight_);
  }

 private:
  const TensorIteration& w_;
  size_t tile_;
  Tile& t_;
  const std::vector<Address>&inputs_, &weights_;
  bool has_inputs_, has_weights_;
  uint32_t in_ = ~0U, weight_ = ~0U;
};

// Zero points come with the biases and scales, one set for each of their groups.
inline size_t headers_of(const TensorIteration& w, const Tile& t) {
  return std::max<size_t>({size_t{1}, w.s.zero_sets, w.nest.has_scales ? t.scales.count : 1,
                           w.nest.has_bias ? t.biases.count : 1});
}
inline size_t header_of(const TensorIteration& w, size_t headers, size_t output) {
  return output * headers / w.outputs.size();
}

inline const std::byte* line_of(const Tile& t, int64_t weight) {
  return t.wide.data() + weight / 4 * kWideLineBytes;
}

}  // namespace edgetwin::edgetpu::machine
