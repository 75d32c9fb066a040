// Which scales of each tensor are still possible: a short list, or none yet, which stands for any.
// Laws between lists shorten them.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "targets/edgetpu/decompile/scales/scale_problem.h"

namespace edgetwin::edgetpu {

// Laws other than those of convolutions couple their tensors: one scale tells another.
inline bool couples(const ScaleLaw& law) { return law.kind != ScaleLawKind::weighted; }

// A problem by tensor.
struct ScaleIndex {
  explicit ScaleIndex(const ScaleProblem& problem);
  const ScaleProblem& problem;
  std::vector<std::vector<size_t>> laws, limits;
};

class ScaleLists {
 public:
  // Lists of what the file or a limit tells, and of all that follows.
  explicit ScaleLists(const ScaleIndex& index);

  const std::vector<float>& of(size_t tensor) const { return lists_[tensor]; }
  // No list stands for any.
  bool listed(size_t tensor, float scale) const {
    const std::vector<float>& list = lists_[tensor];
    return list.empty() || std::find(list.begin(), list.end(), scale) != list.end();
  }
  bool decided(size_t tensor) const { return lists_[tensor].size() == 1; }
  void set(size_t tensor, float scale) { lists_[tensor] = {scale}; }
  bool broken(size_t law) const { return broken_[law]; }
  size_t broken() const;

  // What a search supposes, on top of the lists; 0: nothing.
  float supposed(size_t tensor) const { return supposed_[tensor]; }
  void suppose(size_t tensor, float scale) { supposed_[tensor] = scale; }
  // What is supposed enters the lists, and all that follows from it.
  void settle();
  // The same without new lists: whether anything is broken by it, broken() of the copy tells.
  ScaleLists shortened() const;
  std::vector<float> forget();  // what was supposed, for recall()
  void recall(std::vector<float> supposed) { supposed_ = std::move(supposed); }

  // The only scale that is possible; 0: there are several.
  float single(size_t tensor) const {
    if (tensor == kNoTensor) return 0.0F;
    if (supposed_[tensor] != 0.0F) return supposed_[tensor];
    return decided(tensor) ? lists_[tensor].front() : 0.0F;
  }
  // What the choice of `scale` makes impossible, counted up to `most`.
  int misses(size_t tensor, float scale, int most) const;
  // The laws of a tensor that ask for more than OwnConditions does, as some other scale is known.
  // Which scales these are, and how many, makes no difference.
  std::vector<size_t> laws_between(size_t tensor) const;
  // Whether one of these laws can hold.
  bool can_hold(size_t law, size_t tensor, float scale) const;
  int missed_limits(size_t tensor, float scale) const;

 private:
  std::vector<float> told_by_limits(size_t tensor) const;
  std::span<const float> options(size_t tensor) const;
  bool derive_list(size_t law);
  void shorten();
  bool shorten(size_t law);
  bool keep(size_t tensor, const std::vector<bool>& supported);
  bool weighted_can_hold(const ScaleLaw& law, size_t tensor, float scale) const;
  void accept();

  const ScaleIndex* index_;
  std::vector<std::vector<float>> lists_;
  std::vector<float> supposed_;
  std::vector<bool> broken_;  // laws that cannot hold
};

}  // namespace edgetwin::edgetpu
