// The page of a run: curves, layers, confusion, worst items. It is written after each epoch and
// needs no network. Specification: training, 13.
#pragma once

#include <string>
#include <vector>

#include "train/journal/history.h"
#include "train/journal/layer_rows.h"
#include "train/report/projection.h"
#include "train/score/evaluate.h"
#include "train/score/observe.h"

namespace edgetwin::train {

// An object on a picture: left, top, right, bottom in parts of it.
struct DrawnBox {
  Box corners{};
  bool found = false;  // else it is true
  std::string name;
};

// A test item that is judged wrongly, or worst.
struct WorstItem {
  uint32_t item = 0;
  double loss = 0;
  std::string truth, predicted;      // of classes
  Bytes picture;                     // PNG
  std::vector<DrawnBox> boxes = {};  // of objects
};

struct RunPage {
  std::string title, command;
  bool done = false;   // else the page loads itself again
  bool is_run = true;  // false: a checkpoint that was judged
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  std::vector<std::string> classes;
  TargetKind kind = TargetKind::classes;
  const Evaluation* test = nullptr;
  std::vector<ClassCurve> curves;  // of the test items
  std::string verdict;             // of the twin
  std::vector<std::string> remarks;
  std::vector<WorstItem> worst;
  std::vector<ProjectedItem> projection;  // of the test items' outputs
  std::string settings;                   // as a file would have them
};

std::string run_page(const RunPage& page);

// The `count` items with the largest cross entropy, as grey or coloured pictures. Items that are no
// pictures have none. From `outputs`, one per class of each of these items.
std::vector<WorstItem> worst_of_outputs(const DataSet& data,
                                        const std::vector<std::string>& classes,
                                        std::span<const uint32_t> items,
                                        std::span<const float> outputs, size_t count);
// Of the test items: of classes by their `outputs`, or of objects by the loss of each picture.
std::vector<WorstItem> worst_items(Model& model, const Objective& objective, const Data& data,
                                   std::span<const float> outputs, size_t count, ThreadPool& pool);

}  // namespace edgetwin::train
