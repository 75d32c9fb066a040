// A model on a part of the data, in evaluation mode. Specification: training, 11, 14.
#pragma once

#include <optional>
#include <vector>

#include "train/data/data.h"
#include "train/network/model.h"
#include "train/score/objective.h"
#include "train/score/precision.h"

namespace edgetwin::train {

struct Evaluation {
  int64_t items = 0;
  int64_t places = 0;      // that are judged: items, or all places of their masks
  int64_t right = 0;       // of them
  int64_t among_five = 0;  // the true class is one of the five largest outputs
  double loss = 0;         // mean; of numbers the mean square error
  bool classes = true;     // false: numbers are judged, by the loss alone
  double top1() const { return percent(right); }
  double top5() const { return percent(among_five); }
  // With more than five classes alone it says something.
  bool has_top5() const { return classes && confusion.size() > 5; }
  bool detects = false;  // objects: `precision` of each class, without the background
  std::vector<AveragePrecision> precision;
  MeanPrecision map() const { return mean_precision(precision); }
  std::vector<std::vector<int64_t>> confusion;  // rows: true class, columns: predicted
  // Mean over the classes of intersection over union, in percent; of masks.
  double mean_iou() const;

 private:
  double percent(int64_t n) const {
    return places == 0 ? 0 : 100.0 * static_cast<double>(n) / static_cast<double>(places);
  }
};

// Adds what one item's outputs say about classes.
void judge_item(const float* outputs, int classes, int64_t label, Evaluation& result);

// Adds what the outputs of a batch find to the counter, which the first batch makes.
void count_found(const DetectorSettings& detector, const Maps& outputs, const Truth& truth,
                 std::optional<PrecisionCounter>& counter);

class Observer;

// Gets the outputs of a batch and, where binary32 could round them, their integers.
using OutputHook = std::function<void(const Maps& outputs, const IntMaps& sums)>;

// Of the items with these indices, in batches. `each`, if given, gets the outputs of each batch,
// `observer` all layers.
Evaluation evaluate(Model& model, const Objective& objective, const DataSet& data,
                    std::span<const uint32_t> indices, ThreadPool& pool,
                    const OutputHook& each = nullptr, Observer* observer = nullptr);

// "==> Top1: 98.100    Loss: 0.051", or with MSE.
std::string score_text(const Evaluation& e, TargetKind kind);

// 0, 1, ... count - 1
std::vector<uint32_t> all_indices(size_t count);
// The class of the largest output; the lower one of equal ones.
int best_class(const float* outputs, int classes);
// The label is among the five largest outputs; of equal ones the lower class is the larger.
bool among_five(const float* outputs, int classes, int64_t label);

}  // namespace edgetwin::train
