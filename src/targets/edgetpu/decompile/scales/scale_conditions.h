// What a tensor's own limits and the laws that write it ask of its scale, whatever the scales of
// others. The search asks it of every mantissa, and of most several times.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/scales/scale_lists.h"

namespace edgetwin::edgetpu {

class OwnConditions {
 public:
  explicit OwnConditions(const ScaleIndex& index);

  // False: no solution without a broken law has this scale.
  bool allow(size_t tensor, float scale);
  // Laws that cannot hold ask nothing.
  void update(const ScaleLists& lists);

 private:
  bool compute(size_t tensor, float scale) const;

  const ScaleIndex& index_;
  std::vector<bool> broken_;  // by law
  std::vector<bool> fixed_;   // by tensor: a limit that is no power of two apart from itself
  // By tensor and mantissa, four to a byte: 0 not asked yet, 1 allowed, 2 not.
  std::vector<std::vector<uint8_t>> known_;
};

}  // namespace edgetwin::edgetpu
