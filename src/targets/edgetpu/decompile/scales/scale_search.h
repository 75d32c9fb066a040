// The search for the scales of a group: tensors that sums, products and rescaling couple, depth
// first from one of them. What convolutions read and write is tested on the way, against the lists
// of their other side.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "targets/edgetpu/decompile/scales/scale_conditions.h"
#include "targets/edgetpu/decompile/scales/scale_descent.h"
#include "targets/edgetpu/decompile/scales/scale_options.h"
#include "targets/edgetpu/decompile/scales/scale_order.h"

namespace edgetwin::edgetpu {

class ScaleSearch {
 public:
  ScaleSearch(const ScaleIndex& index, ScaleLists& lists, const ScaleOptions& options);

  static constexpr int kMostMisses = 3;  // laws and limits that may be broken

  // A new group: its first tensor, and how the others follow from it.
  void begin(size_t lead, std::vector<ScaleOrder::Step> steps);
  // The first solution with at most so many broken laws and limits, supposed in the lists. False:
  // there is none, and patience is shorter.
  bool find(int allowed);
  // Scales that are usable, whatever they break.
  void take_any();
  // Whether scales may still be tried in vain.
  bool patient() const { return patience_ > 0; }

 private:
  // What an exact search depends on, and what it found. After a change of order most groups are met
  // again as they were.
  using Question = std::vector<uint64_t>;
  struct Answer {
    bool found = false;
    std::vector<float> scales;  // of the lead, then of each step
    uint64_t patience = 0;      // what it took
  };
  Question question() const;
  bool answer(int allowed);
  bool recall(const Answer& known);
  Answer take_answer(bool found, uint64_t patience_before) const;

  struct Pool {
    std::vector<float> scales;
    uint32_t next = 0;  // the first mantissa that was not looked at
  };

  // ---- without broken laws
  bool find_exact();
  bool scan_exact(const ScaleDescentPlan& plan, ScaleDescent& descent);
  bool scan_range(ScaleDescent& descent, uint32_t first, uint32_t end);
  // Whether tried(scale) is true of one of the lead's scales that are allowed by themselves.
  template <class Try>
  bool any_allowed(uint32_t first, uint32_t end, const Try& tried);
  std::vector<std::optional<uint64_t>> parts_in_vain(const ScaleDescentPlan& plan, uint32_t first,
                                                     uint32_t parts);

  // ---- with broken laws
  bool scan();
  bool try_lead(float scale);
  bool descend(size_t depth, int missed);

  // ---- what was chosen and what is around it
  bool agrees() const;
  size_t tensor_without();
  bool possible(size_t tensor);
  bool extend(size_t tensor, Pool& pool);

  const ScaleIndex& index_;
  ScaleLists& lists_;
  OwnConditions own_;
  uint32_t tries_;
  uint64_t patience_;  // how many scales may still be tried in vain
  ThreadPool pool_;
  // Of the group at hand.
  size_t lead_ = 0;
  std::vector<ScaleOrder::Step> steps_;
  int allowed_ = 0;
  uint64_t nodes_ = 0;
  int rejected_ = 0;
  std::map<size_t, Pool> pools_;  // scales of tensors without a list
  std::map<Question, Answer> answers_;
};

}  // namespace edgetwin::edgetpu
