// A model on a part of the data, in evaluation mode. Specification: training, 11, 14.
#pragma once

#include <vector>

#include "train/data/data.h"
#include "train/network/model.h"

namespace edgetwin::train {

struct Evaluation {
  int64_t items = 0, right = 0;
  int64_t among_five = 0;  // the true class is one of the five largest outputs
  double loss = 0;         // cross entropy, mean
  double top1() const {
    return items == 0 ? 0 : 100.0 * static_cast<double>(right) / static_cast<double>(items);
  }
  double top5() const {
    return items == 0 ? 0 : 100.0 * static_cast<double>(among_five) / static_cast<double>(items);
  }
  std::vector<std::vector<int64_t>> confusion;  // rows: true class, columns: predicted
};

// Of the items with these indices, in batches. `each`, if given, gets the outputs (items, 1, 1,
// classes) of each batch and the position of its first item.
Evaluation evaluate(Model& model, const DataSet& data, std::span<const uint32_t> indices,
                    ThreadPool& pool,
                    const std::function<void(const Maps&, size_t)>& each = nullptr);

// 0, 1, ... count - 1
std::vector<uint32_t> all_indices(size_t count);
// The class of the largest output; the lower one of equal ones.
int best_class(const float* outputs, int classes);

}  // namespace edgetwin::train
