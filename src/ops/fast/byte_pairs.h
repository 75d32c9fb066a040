// ADD, SUB and MUL of bytes by a shorter way, once an operator has computed so much that the search
// for it pays.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "kernels/core/isa.h"
#include "kernels/core/pair_table.h"

namespace edgetwin::ops {

// Belongs to one prepared operator; several threads may ask at a time. The bytes are the same with
// and without what it finds.
class LearnedPairs {
 public:
  // Null where there is no shorter way for such constants on this instruction set.
  static std::shared_ptr<LearnedPairs> make(const kernels::PairConstants& constants,
                                            kernels::PairKernel exact, kernels::Isa isa);

  // What `elements` more may be computed with; null: with the exact kernel.
  const kernels::BytePairs* before(int64_t elements);
  [[nodiscard]] kernels::BytePairKernel kernel() const { return kernel_; }

 private:
  LearnedPairs(const kernels::PairConstants& constants, kernels::PairKernel exact,
               kernels::BytePairKernel kernel)
      : constants_(constants), exact_(exact), kernel_(kernel) {}

  kernels::PairConstants constants_;
  kernels::PairKernel exact_;
  kernels::BytePairKernel kernel_;
  std::atomic<int64_t> computed_ = 0;
  std::once_flag once_;
  kernels::BytePairs found_;
  std::atomic<bool> is_found_ = false;
};

}  // namespace edgetwin::ops
