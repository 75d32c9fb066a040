// In which order scales that are coupled are decided.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "targets/edgetpu/decompile/scales/scale_lists.h"

namespace edgetwin::edgetpu {

using ScaleGroup = std::vector<size_t>;  // tensors, ascending

class ScaleOrder {
 public:
  explicit ScaleOrder(const ScaleIndex& index) : index_(index) {}

  // All that laws other than convolutions couple with `t` and that is not decided.
  ScaleGroup coupled(size_t t, const ScaleLists& lists) const;

  // The tensor with the fewest choices; without any the result of the last sum.
  size_t lead_of(const ScaleGroup& group, const ScaleLists& lists) const;

  // How the others follow from the lead: the next tensor, and the law that tells it.
  struct Step {
    size_t law = 0, tensor = 0;
  };
  std::vector<Step> plan(const ScaleGroup& group, size_t lead, const ScaleLists& lists) const;

 private:
  std::optional<Step> next_step(const std::vector<size_t>& laws, const std::set<size_t>& known,
                                const ScaleLists& lists) const;

  const ScaleIndex& index_;
};

}  // namespace edgetwin::edgetpu
