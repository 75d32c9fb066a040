// What an evaluation says beside its score: how many outputs of each layer lie at the limits of 8
// bits, and precision and recall of each class over thresholds. Specification: training, 6, 13.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "train/network/model.h"

namespace edgetwin::train {

// Of the outputs of a layer with 8 bits.
struct ClampCounts {
  int64_t low = 0, high = 0, values = 0;
  double low_percent() const { return percent(low); }
  double high_percent() const { return percent(high); }

 private:
  double percent(int64_t n) const {
    return values == 0 ? 0 : 100.0 * static_cast<double>(n) / static_cast<double>(values);
  }
};

inline constexpr size_t kThresholds = 127;  // 0, 1/126, ..., 1, of the soft-max

// Items of a class and of others whose soft-max reaches each threshold.
struct ClassCurve {
  std::array<int64_t, kThresholds> own{}, others{};
  int64_t own_items = 0, other_items = 0;
  double precision(size_t threshold) const;
  double recall(size_t threshold) const;
};

class Observer {
 public:
  // `curves`: labels are one class an item. `clamps`: outputs at their limits are counted.
  explicit Observer(bool curves, bool clamps = true) : with_curves_(curves), with_clamps_(clamps) {}

  void see(const Model& model, const Recording& recording, std::span<const int64_t> labels);
  const std::vector<ClampCounts>& clamps() const { return clamps_; }  // one per layer
  // One per class; after the last item.
  std::vector<ClassCurve> curves() const;

 private:
  void count_clamps(const Model& model, const Recording& recording);
  void add_curves(const Maps& outputs, std::span<const int64_t> labels);

  bool with_curves_, with_clamps_;
  std::vector<ClampCounts> clamps_;
  std::vector<ClassCurve> reached_;  // by the largest threshold that is reached
};

}  // namespace edgetwin::train
