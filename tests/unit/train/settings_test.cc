// Settings as a file come back as they were.
#include "train/settings/settings_files.h"

#include <gtest/gtest.h>

namespace edgetwin::train {
namespace {

constexpr const char* kAll = R"(train:
  optimizer: {type: sgd, lr: 0.05, momentum: 0.8, weight_decay: 0.0003}
  epochs: 20
  batch: 64
  batch_norm: affine
  bias: false
  dropout: 0.25
  init: he_fan_out
  validation: 0.2
  seed: 7
  patience: 8
  loss: {distil: {teacher: t.pth.tar, description: t.yaml, temperature: 3, distill_weight: 0.6, student_weight: 0.4}}
  schedule:
    lr_schedulers: {a: {class: MultiStepLR, milestones: [3, 9], gamma: 0.3}}
    policies: [{lr_scheduler: {instance_name: a}, starting_epoch: 1, ending_epoch: 15, frequency: 2}]
  qat: {start_epoch: 5, weight_bits: 4, shift_quantile: 0.985, overrides: {fc: {weight_bits: 8}, c: {shift_quantile: 0.9}}}
  avg_pool_rounding: true
  layers: {a: {freeze: true, dropout: 0.5}, fc: {bias: true, batch_norm: none, shift_quantile: 0.99}}
  data:
    path: digits
    format: idx
    normalise: vendor
    fold: 2
    window: 32
    hop: 8
    resize: [64, 48]
    classes: ["say \"yes\"", no, unknown]
    class_weights: {unknown: 0.07}
    augment:
      - pad_crop: 3
      - flip: horizontal
      - affine: {rotate: 20, shift: 0.1, shear: 5, scale: [0.9, 1.1]}
      - noise: 4
      - random_resized_crop: {area: [0.1, 1], aspect: [0.8, 1.2]}
      - colour: {brightness: 0.2, contrast: 0.1, saturation: 0.3}
      - erase: {probability: 0.4, area: [0.03, 0.3]}
      - shift: 0.1
      - speed: [0.9, 1.1]
      - white_noise: {snr: [-5, 20]}
)";

TEST(TrainSettings, ComeBackFromTheirFile) {
  RunSettings first;
  const Status read = apply_settings(kAll, "a.yaml", first);
  ASSERT_TRUE(read.ok()) << to_text(read.error());
  const std::string text = settings_text(first);
  RunSettings again;
  const Status back = apply_settings(text, "b/train.yaml", again);
  ASSERT_TRUE(back.ok()) << to_text(back.error()) << text;
  EXPECT_EQ(settings_text(again), text);
  EXPECT_EQ(again.augment.size(), 10U);
  EXPECT_EQ(again.data_options.classes[0], "say \"yes\"");
  EXPECT_EQ(again.overrides.at("c").quantile, 0.9F);
  EXPECT_EQ(again.layers.at("a").dropout, 0.5F);
  EXPECT_EQ(again.dropout, 0.25);
  EXPECT_TRUE(again.average_rounding);
  EXPECT_EQ(again.schedule->steps_before(16), first.schedule->steps_before(16));
  EXPECT_TRUE(again.loss.teacher.is_absolute());
  for (const char* scheduler :
       {"StepLR, step_size: 4, gamma: 0.5", "ExponentialLR, gamma: 0.9",
        "CosineAnnealingLR, T_max: 12, eta_min: 0.001", "PolynomialLR, T_max: 9, power: 2",
        "MultiStepMultiGammaLR, milestones: [1, 2], gammas: [0.5, 0.25]",
        "ReduceLROnPlateau, factor: 0.2, patience: 3, threshold: 0.01"}) {
    RunSettings one, two;
    const std::string file = std::string("schedule: {lr_schedulers: {a: {class: ") + scheduler +
                             "}}, policies: [{lr_scheduler: {instance_name: a}, epochs: [2, 4]}]}\n"
                             "qat: none\n";
    ASSERT_TRUE(apply_settings(file, "a.yaml", one).ok()) << scheduler;
    ASSERT_TRUE(apply_settings(settings_text(one), "a.yaml", two).ok()) << scheduler;
    EXPECT_EQ(settings_text(two), settings_text(one));
    EXPECT_FALSE(two.qat_start.has_value());
    for (const int steps : {0, 1, 5}) {
      const std::vector<double> losses(static_cast<size_t>(steps), 1.0);
      EXPECT_EQ(rate_after(two.schedule->scheduler, 0.1, steps, losses),
                rate_after(one.schedule->scheduler, 0.1, steps, losses));
    }
  }
}

}  // namespace
}  // namespace edgetwin::train
