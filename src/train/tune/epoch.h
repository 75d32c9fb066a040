// One epoch over the training items.
#pragma once

#include "train/tune/gradients.h"
#include "train/tune/tune.h"

namespace edgetwin::train {

// "Top1: 97.100    Loss: 0.103214"; of numbers the loss alone.
std::string tune_score_text(const OutputForm& form, const PartScore& score);

// Of exponents that the labels train: their logarithms by Adam, at this rate where parameters have
// the first rate of the schedule.
inline constexpr double kLabelledExponentRate = 0.01;

// The rate of epoch `e` after `done`, by the schedule of the settings.
double rate_of_epoch(const TuneSettings& settings, const std::vector<TuneEpoch>& done, int e);

struct EpochTraining {
  const ItemSets& sets;
  const TuneSettings& settings;
  TunedNetwork& network;
  const OutputForm& form;
  Slot loss_slot;  // whose values the loss judges
  Optimizer& optimizer;
  Optimizer& exponents;  // of those that are trained
  BatchGradients& gradients;

  // Ends early where the settings say so. Error: train_not_finite.
  Result<TuneEpoch> run(int epoch, double rate);

 private:
  Result<PartScore> steps(int epoch, const std::vector<uint32_t>& order);
  PartScore step(std::span<const uint32_t> batch);
  void log(const std::string& line) const {
    if (settings.log) settings.log(line + "\n");
  }
};

}  // namespace edgetwin::train
