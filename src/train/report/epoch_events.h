// What TensorBoard's file gets after an epoch. Specification: training, 13.
#pragma once

#include "train/journal/history.h"
#include "train/journal/layer_rows.h"
#include "train/network/model.h"
#include "train/score/evaluate.h"
#include "train/score/observe.h"
#include "train/settings/settings.h"

namespace edgetwin::train {

struct EpochReport {
  const EpochRow& row;
  const Evaluation& judged;
  const Observer& observed;  // by the validation
  const std::vector<std::string>& classes;
  double objective_loss = 0;  // of training
  int64_t steps = 0;          // of an epoch
};

// Rows of the layers with what the observer saw of their outputs.
std::vector<LayerRow> observed_rows(const Model& model, int epoch, const Observer& observed);

// Records of scalars, layers, the confusion; as the settings ask for it histograms of the weights
// and curves of the classes. Errors: those of drawing.
Result<Bytes> epoch_events(const EpochReport& report, Model& model, const RunSettings& settings);

}  // namespace edgetwin::train
