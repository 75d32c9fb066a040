#include <gtest/gtest.h>

#include "train/run/lines.h"

namespace edgetwin::train {
namespace {

TEST(TrainStepLines, SayWhatTheEpochIsJudgedBy) {
  EpochRow row;
  row.train_loss = 1.5;
  row.rate = 0.05;
  const StepPlace place{2, 10, 235};
  EXPECT_EQ(step_line(place, row, 1.25, false),
            "Epoch: [2][   10/  235]    Overall Loss 1.500000    Objective Loss 1.250000    "
            "MSE 1.500000    LR 0.050000\n");
  EXPECT_EQ(step_line(place, row, 1.25, true),
            "Epoch: [2][   10/  235]    Overall Loss 1.500000    Objective Loss 1.250000    "
            "LR 0.050000\n");
  row.train_top1 = 62.5;
  row.train_top5 = 87.5;
  EXPECT_EQ(step_line(place, row, 1.25, false),
            "Epoch: [2][   10/  235]    Overall Loss 1.500000    Objective Loss 1.250000    "
            "Top1 62.500000    Top5 87.500000    LR 0.050000\n");
}

TEST(TrainStepLines, EqualOutputsBelongToTheLowerClass) {
  const float outputs[] = {1, 1, 1, 1, 1, 1, 0};
  EXPECT_TRUE(among_five(outputs, 7, 4));
  EXPECT_FALSE(among_five(outputs, 7, 5));
}

}  // namespace
}  // namespace edgetwin::train
