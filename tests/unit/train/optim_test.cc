#include <gtest/gtest.h>

#include <cmath>

#include "train/layers/shift.h"
#include "train/losses/losses.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"

namespace edgetwin::train {
namespace {

TEST(TrainOptimizer, SgdTakesTheFirstGradientAsMomentum) {
  Optimizer sgd({.rate = 0.5, .momentum = 0.5, .weight_decay = 0});
  std::vector<float> w = {1};
  const std::vector<float> g = {1};
  sgd.step("w", w, g);
  EXPECT_EQ(w[0], 0.5F);  // v = 1
  sgd.step("w", w, g);
  EXPECT_EQ(w[0], -0.25F);  // v = 1.5
  EXPECT_EQ(sgd.states().at("w").first[0], 1.5F);
}

TEST(TrainOptimizer, DecayIsPartOfTheGradient) {
  Optimizer sgd({.rate = 1, .momentum = 0, .weight_decay = 0.25});
  std::vector<float> w = {4};
  sgd.step("w", w, std::vector<float>{0});
  EXPECT_EQ(w[0], 3.0F);
}

TEST(TrainOptimizer, FirstStepOfAdamIsTheRate) {
  Optimizer adam({.kind = OptimizerKind::adam, .rate = 0.01, .weight_decay = 0});
  std::vector<float> w = {1, 1};
  adam.step("w", w, std::vector<float>{0.3F, -7});
  EXPECT_NEAR(w[0], 0.99F, 1e-6F);
  EXPECT_NEAR(w[1], 1.01F, 1e-6F);
  EXPECT_EQ(adam.states().at("w").steps, 1);
}

TEST(TrainSchedule, Rates) {
  Scheduler s{.kind = SchedulerKind::multi_step, .milestones = {2, 4}, .gammas = {}, .gamma = 0.5};
  EXPECT_EQ(rate_after(s, 1, 1), 1);
  EXPECT_EQ(rate_after(s, 1, 2), 0.5);
  EXPECT_EQ(rate_after(s, 1, 5), 0.25);
  s.kind = SchedulerKind::multi_gamma;
  s.gammas = {0.5, 0.1};
  EXPECT_DOUBLE_EQ(rate_after(s, 1, 4), 0.05);
  s.kind = SchedulerKind::step;
  s.step_size = 3;
  EXPECT_EQ(rate_after(s, 1, 7), 0.25);
  s.kind = SchedulerKind::cosine;
  s.t_max = 10;
  EXPECT_NEAR(rate_after(s, 1, 5), 0.5, 1e-12);
  EXPECT_NEAR(rate_after(s, 1, 10), 0, 1e-12);
  s.kind = SchedulerKind::polynomial;
  s.exponent = 2;
  EXPECT_NEAR(rate_after(s, 1, 5), 0.25, 1e-12);
  s.kind = SchedulerKind::plateau;
  s.patience = 1;
  s.factor = 0.5;
  EXPECT_EQ(rate_after(s, 1, 4, {1.0, 1.0, 1.0, 1.0}), 0.5);
  EXPECT_EQ(rate_after(s, 1, 3, {1.0, 0.5, 0.25}), 1);
}

TEST(TrainSchedule, PoliciesCountTheirEpochs) {
  SchedulePolicy policy;
  policy.starting_epoch = 2;
  policy.ending_epoch = 6;
  policy.frequency = 2;
  EXPECT_EQ(policy.steps_before(2), 0);
  EXPECT_EQ(policy.steps_before(3), 1);
  EXPECT_EQ(policy.steps_before(100), 2);
  policy.epochs = {7, 9};
  EXPECT_EQ(policy.steps_before(8), 1);
  for (const char* name : {"StepLR", "ReduceLROnPlateau"}) {
    EXPECT_EQ(class_name(*scheduler_kind(name)), name);
  }
  EXPECT_FALSE(scheduler_kind("steplr"));
}

TEST(TrainShift, RoundsThreeTimes) {
  EXPECT_EQ(shift_of_limit(1.0F), 0);
  EXPECT_EQ(shift_of_limit(0.5F), -1);
  // 1/m lies below 32, but its logarithm rounds to 5.
  EXPECT_EQ(shift_of_limit(std::nextafter(0.03125F, 1.0F)), -5);
  EXPECT_EQ(shift_of_limit(0.0F), -15);
  EXPECT_EQ(shift_of_limit(std::numeric_limits<float>::infinity()), 15);
}

TEST(TrainShift, QuantilesDiffer) {
  const std::vector<float> v = {-4, 1, -2, 3};
  EXPECT_EQ(magnitude_quantile(v, {}, 1, QuantileRule::ordinary), 4);
  EXPECT_EQ(magnitude_quantile(v, {}, 0.5F, QuantileRule::ordinary), 2.5F);
  EXPECT_EQ(magnitude_quantile({}, {}, 0.5F, QuantileRule::older), 0);
}

TEST(TrainLoss, CrossEntropyOfEqualOutputs) {
  Maps outputs(2, 1, 1, 4);
  const std::vector<int64_t> targets = {1, 3};
  const Loss loss = cross_entropy(outputs, targets);
  EXPECT_NEAR(loss.value, 1.3862943611198906, 1e-12);
  EXPECT_FLOAT_EQ(loss.gradient.values[1], (0.25F - 1) / 2);
  EXPECT_FLOAT_EQ(loss.gradient.values[0], 0.125F);
}

}  // namespace
}  // namespace edgetwin::train
