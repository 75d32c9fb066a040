// The page of a run: curves, layers, confusion, worst items. It is written after each epoch and
// needs no network. Specification: training, 13.
#pragma once

#include <string>
#include <vector>

#include "train/journal/history.h"
#include "train/journal/layer_rows.h"
#include "train/run/evaluate.h"

namespace edgetwin::train {

// A test item that is judged wrongly, or worst.
struct WorstItem {
  uint32_t item = 0;
  double loss = 0;
  std::string truth, predicted;
  Bytes picture;  // PNG
};

struct RunPage {
  std::string title, command;
  bool done = false;  // else the page loads itself again
  std::vector<EpochRow> epochs;
  std::vector<LayerRow> layers;
  std::vector<std::string> classes;
  const Evaluation* test = nullptr;
  std::string verdict;  // of the twin
  std::vector<WorstItem> worst;
};

std::string run_page(const RunPage& page);

// The `count` test items with the largest cross entropy, as grey or coloured pictures. Items that
// are no pictures have none.
std::vector<WorstItem> worst_items(Model& model, const Data& data, size_t count, ThreadPool& pool);

}  // namespace edgetwin::train
