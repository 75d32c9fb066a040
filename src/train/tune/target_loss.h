// The loss of one item and its gradient, and what counts as right. Specification: training, 11.
#pragma once

#include "train/tape/step.h"
#include "train/tune/items.h"

namespace edgetwin::train {

// Of how an output fits the targets of a data set.
struct OutputForm {
  TargetKind kind = TargetKind::classes;
  size_t classes = 0;  // along the axis after that of items
  size_t places = 1;   // classes for each

  // Error: train_label with both sizes.
  static Result<OutputForm> of(const Shape& output, const DataSet& set);
};

struct ItemLoss {
  double value = 0;    // mean over places, or over elements
  size_t right = 0;    // of places
  size_t counted = 0;  // places
};

// `gradient` (may be null) gets `weight` times that of the loss.
ItemLoss loss_of_item(const OutputForm& form, const Numbers& outputs, const DataSet& set,
                      size_t item, double weight, Numbers* gradient);

// The sums over a part of a data set.
struct PartScore {
  double loss = 0;
  size_t right = 0, counted = 0, items = 0;

  void add(const ItemLoss& l) {
    loss += l.value;
    right += l.right;
    counted += l.counted;
    ++items;
  }
  double mean_loss() const { return items == 0 ? 0 : loss / static_cast<double>(items); }
  double top1() const {
    return counted == 0 ? 0 : 100.0 * static_cast<double>(right) / static_cast<double>(counted);
  }
};
// True if `a` is the better one; of equal ones neither.
bool is_better(const OutputForm& form, const PartScore& a, const PartScore& b);

}  // namespace edgetwin::train
