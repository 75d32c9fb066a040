// What a tensor's own limits and the laws that write it ask of its scale, whatever the scales of
// others: the first thing that the search asks of every mantissa.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/scales/scale_lists.h"

namespace edgetwin::edgetpu {

class OwnConditions {
 public:
  static constexpr uint32_t kBlock = 64;

  explicit OwnConditions(const ScaleIndex& index);

  // False: no solution without a broken law has this scale.
  bool allow(size_t tensor, float scale) const;
  // The same of kBlock scales that follow each other, the first one's mantissa a multiple of
  // kBlock; one bit each, the lowest for the first.
  uint64_t allow_block(size_t tensor, float first);
  // After this threads may ask for blocks of this tensor at once, if no two of them ask for blocks
  // of the same 64, and for single scales of others.
  void prepare(size_t tensor);
  // A tensor whose own limits and laws are not asked: allow() is true for all.
  bool skipped(size_t tensor) const { return fixed_[tensor]; }
  // Multipliers that a scale is asked for.
  size_t multipliers(size_t tensor) const { return wanted_[tensor].size(); }
  // Laws that cannot hold ask nothing.
  void update(const ScaleLists& lists);

 private:
  // By mantissa: what is known, blocks first.
  struct Known {
    std::vector<uint64_t> allowed;
    std::vector<bool> asked;  // by block
  };
  // A limit without real numbers: from (low * scale) * (1 / scale) to the same of high.
  struct Limit {
    float low, high, lower, upper;
  };
  bool compute(size_t tensor, float scale) const;
  uint64_t compute_block(size_t tensor, float first) const;
  void collect(size_t tensor);

  const ScaleIndex& index_;
  std::vector<bool> broken_;  // by law
  std::vector<bool> fixed_;   // by tensor: a limit that is no power of two apart from itself
  std::vector<std::vector<float>> wanted_;  // by tensor: multipliers of all laws that write it
  std::vector<std::vector<Limit>> limits_;  // by tensor
  std::vector<Known> known_;                // by tensor
};

}  // namespace edgetwin::edgetpu
