#include "train/report/epoch_events.h"

#include <algorithm>

#include "train/journal/events.h"
#include "train/journal/layer_rows.h"
#include "train/network/parameters.h"
#include "train/report/confusion_picture.h"

namespace edgetwin::train {
namespace {

constexpr size_t kMostDrawn = 200;  // classes of a picture

void append(Bytes& records, const Bytes& more) {
  records.insert(records.end(), more.begin(), more.end());
}

void add_scores(Bytes& records, double now, const EpochReport& report) {
  const std::string training = "Performance/Training/", validation = "Performance/Validation/";
  const EpochRow& row = report.row;
  Scalars learnt = {{training + "Overall_Loss", row.train_loss},
                    {training + "Objective_Loss", report.objective_loss}};
  Scalars checked = {{validation + "Loss", row.validation_loss}};
  if (row.train_top1) learnt.emplace_back(training + "Top1", *row.train_top1);
  if (row.train_top5) learnt.emplace_back(training + "Top5", *row.train_top5);
  if (row.validation_map) checked.emplace_back(validation + "mAP", *row.validation_map);
  if (!report.judged.classes && !report.judged.detects) {
    learnt.emplace_back(training + "MSE", row.train_loss);
    checked.emplace_back(validation + "MSE", row.validation_loss);
  }
  if (row.validation_top1) checked.emplace_back(validation + "Top1", *row.validation_top1);
  if (row.validation_top5) checked.emplace_back(validation + "Top5", *row.validation_top5);
  learnt.emplace_back(training + "LR", row.rate);
  learnt.emplace_back(training + "Time", row.seconds / static_cast<double>(report.steps));
  append(records, scalar_event(now, (row.epoch + 1) * report.steps, learnt));
  append(records, scalar_event(now, row.epoch, checked));
}

void add_layers(Bytes& records, double now, const EpochReport& report, const Model& model) {
  for (const LayerRow& r : observed_rows(model, report.row.epoch, report.observed)) {
    const std::string tag = "QAT/" + r.layer + "/";
    append(records, scalar_event(now, r.epoch,
                                 {{tag + "shift", static_cast<double>(r.shift)},
                                  {tag + "saturated_weights", r.saturated},
                                  {tag + "clamped_low", r.low},
                                  {tag + "clamped_high", r.high}}));
  }
}

void add_histograms(Bytes& records, double now, int epoch, Model& model) {
  for_each_parameter(model, nullptr, [&](const ParameterRef& p) {
    if (!p.name.ends_with("weight")) return;
    std::string tag = p.name;
    std::replace(tag.begin(), tag.end(), '.', '/');
    append(records, histogram_event(now, epoch, tag, *p.values));
  });
}

void add_curves(Bytes& records, double now, const EpochReport& report) {
  const std::vector<ClassCurve> curves = report.observed.curves();
  for (size_t c = 0; c < curves.size(); ++c) {
    const ClassCurve& curve = curves[c];
    std::vector<float> rows(6 * kThresholds);
    for (size_t t = 0; t < kThresholds; ++t) {
      const int64_t counts[] = {curve.own[t], curve.others[t], curve.other_items - curve.others[t],
                                curve.own_items - curve.own[t]};
      for (size_t r = 0; r < 4; ++r) rows[r * kThresholds + t] = static_cast<float>(counts[r]);
      rows[4 * kThresholds + t] = static_cast<float>(curve.precision(t));
      rows[5 * kThresholds + t] = static_cast<float>(curve.recall(t));
    }
    append(records, curve_event(now, report.row.epoch, report.classes[c], rows));
  }
}

}  // namespace

std::vector<LayerRow> observed_rows(const Model& model, int epoch, const Observer& observed) {
  std::vector<LayerRow> rows = layer_rows(model, epoch);
  for (LayerRow& r : rows) {
    for (size_t i = 0; i < model.network.layers.size() && i < observed.clamps().size(); ++i) {
      if (model.network.layers[i].name != r.layer) continue;
      r.low = observed.clamps()[i].low_percent();
      r.high = observed.clamps()[i].high_percent();
    }
  }
  return rows;
}

Result<Bytes> epoch_events(const EpochReport& report, Model& model, const RunSettings& settings) {
  const double now = wall_time();
  Bytes records;
  add_scores(records, now, report);
  if (report.row.quantized) add_layers(records, now, report, model);
  const auto& confusion = report.judged.confusion;
  if (report.judged.classes && confusion.size() <= kMostDrawn) {
    EDGETWIN_TRY_ASSIGN(const Bytes png, confusion_picture(confusion));
    const int side = confusion_side(confusion.size());
    append(records,
           picture_event(now, report.row.epoch, "Validation/ConfusionMatrix", side, side, png));
  }
  if (settings.histograms) add_histograms(records, now, report.row.epoch, model);
  if (settings.curves) add_curves(records, now, report);
  return records;
}

}  // namespace edgetwin::train
