#include "train/tune/epoch.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "train/math/random.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::string tune_score_text(const OutputForm& form, const PartScore& s) {
  std::string text;
  if (form.kind != TargetKind::values) text = "Top1: " + formatted("%.3f", s.top1()) + "    ";
  return text + "Loss: " + formatted("%.6f", s.mean_loss());
}

double rate_of_epoch(const TuneSettings& settings, const std::vector<TuneEpoch>& done, int e) {
  if (!settings.schedule) return settings.optimizer.rate;
  const auto steps = [&](int epoch) { return settings.schedule->steps_before(epoch); };
  std::vector<double> losses;  // of the epochs after which the scheduler advanced
  for (const TuneEpoch& one : done) {
    if (steps(one.epoch + 1) > steps(one.epoch)) losses.push_back(one.validation.mean_loss());
  }
  return rate_after(settings.schedule->scheduler, settings.optimizer.rate, steps(e), losses);
}

Result<TuneEpoch> EpochTraining::run(int epoch, double rate) {
  const auto begin = std::chrono::steady_clock::now();
  optimizer.set_rate(rate);
  const double first = settings.optimizer.rate;
  exponents.set_rate(first > 0 ? kLabelledExponentRate * rate / first : 0);
  std::vector<uint32_t> order = sets.training;
  Random(settings.seed, Purpose::permutation, static_cast<uint64_t>(epoch)).shuffle(order);
  log("Training epoch: " + std::to_string(order.size()) + " samples (" +
      std::to_string(settings.batch) + " per mini-batch)");
  EDGETWIN_TRY_ASSIGN(const PartScore sum, steps(epoch, order));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  log("Epoch: [" + std::to_string(epoch) + "]    Overall " + tune_score_text(form, sum) +
      "    LR " + formatted("%g", rate));
  return TuneEpoch{epoch, true, rate, sum.mean_loss(), sum.top1(), took.count(), {}, {}};
}

Result<PartScore> EpochTraining::steps(int epoch, const std::vector<uint32_t>& order) {
  PartScore sum;
  const auto size = static_cast<size_t>(settings.batch);
  for (size_t first = 0; first < order.size(); first += size) {
    if (settings.stopped && settings.stopped()) break;
    const PartScore part =
        step(std::span(order).subspan(first, std::min(size, order.size() - first)));
    if (!std::isfinite(part.loss)) {
      return broken(Rule::not_finite, "the loss of epoch " + std::to_string(epoch) + ", step " +
                                          std::to_string(first / size) +
                                          " is not finite at a rate of " +
                                          formatted("%g", optimizer.options().rate));
    }
    sum.loss += part.loss;
    sum.right += part.right;
    sum.counted += part.counted;
    sum.items += part.items;
    if (settings.progress) {
      settings.progress((epoch + static_cast<double>(first) / static_cast<double>(order.size())) /
                            settings.epochs,
                        "epoch " + std::to_string(epoch) + ", " + tune_score_text(form, sum));
    }
  }
  return sum;
}

PartScore EpochTraining::step(std::span<const uint32_t> batch) {
  const double weight = 1.0 / static_cast<double>(batch.size());
  const StepTape& tape = network.tape();
  const PartScore part = gradients.run(
      batch.size(),
      [&](size_t i, TapeRun& run) {
        sets.train.input(batch[i], run.values[static_cast<size_t>(network.inputs()[0])]);
      },
      [&](size_t i, TapeRun& run) {
        Numbers* to = tape.wants_gradient(loss_slot)
                          ? &run.gradients[static_cast<size_t>(loss_slot)]
                          : nullptr;
        return loss_of_item(form, tape.values(run, loss_slot), sets.train.set(), batch[i], weight,
                            to);
      });
  if (!std::isfinite(part.loss)) return part;
  for (TunedNetwork::Parameter& p : network.parameters()) {
    const Numbers& g = gradients.gradient(p.slot);
    const std::vector<float> narrow(g.begin(), g.end());
    (p.exponent_of == quantize::kNone ? optimizer : exponents).step(p.name, p.numbers, narrow);
  }
  network.refresh();
  return part;
}

}  // namespace edgetwin::train
