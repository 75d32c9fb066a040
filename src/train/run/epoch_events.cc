#include "train/run/epoch_events.h"

#include "train/journal/events.h"
#include "train/layers/weights.h"

namespace edgetwin::train {
namespace {

void append(Bytes& records, const Bytes& more) {
  records.insert(records.end(), more.begin(), more.end());
}

}  // namespace

Bytes epoch_events(const EpochRow& row, const Evaluation& judged, const Model& model,
                   int64_t steps) {
  const std::string training = "Performance/Training/", validation = "Performance/Validation/";
  const double now = wall_time();
  Scalars learnt = {{training + "Overall_Loss", row.train_loss},
                    {training + "Objective_Loss", row.train_loss}};
  Scalars checked = {{validation + "Loss", row.validation_loss}};
  if (row.train_top1) learnt.emplace_back(training + "Top1", *row.train_top1);
  if (!judged.classes) {
    learnt.emplace_back(training + "MSE", row.train_loss);
    checked.emplace_back(validation + "MSE", row.validation_loss);
  }
  if (row.validation_top1) checked.emplace_back(validation + "Top1", *row.validation_top1);
  if (row.validation_top5) checked.emplace_back(validation + "Top5", *row.validation_top5);
  learnt.emplace_back(training + "LR", row.rate);
  learnt.emplace_back(training + "Time", row.seconds / static_cast<double>(steps));
  Bytes records = scalar_event(now, (row.epoch + 1) * steps, learnt);
  append(records, scalar_event(now, row.epoch, checked));
  for (size_t i = 0; row.quantized && i < model.parameters.size(); ++i) {
    const LayerParameters& p = model.parameters[i];
    if (p.weights.empty()) continue;
    const int shift = weight_scale(p.weights, p.bias, model.quantization[i]).shift;
    append(records, scalar_event(now, row.epoch,
                                 {{"QAT/" + model.network.layers[i].name + "/shift",
                                   static_cast<double>(shift)}}));
  }
  return records;
}

}  // namespace edgetwin::train
