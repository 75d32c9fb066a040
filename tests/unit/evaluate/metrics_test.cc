// Figures against their definitions, written plainly.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "evaluate/metrics/figure.h"
#include "evaluate/metrics/row.h"

namespace edgetwin::evaluation {
namespace {

Json metrics_of(Task task, const std::vector<Row>& rows) {
  Rows pointers;
  for (const Row& r : rows) {
    EXPECT_TRUE(is_row(task, r));
    pointers.push_back(&r);
  }
  return metrics_json(task, pointers, {});
}

double number(const Json& j, const char* key) { return *j.get(key)->as_number(); }

TEST(Figure, WilsonSolvesItsEquation) {
  // The bounds p are those with (observed - p)^2 = z^2 p (1 - p) / n.
  const Figure f = share(199, 200);
  for (const double p : {f.low, f.high}) {
    const double z = 1.959963984540054;
    EXPECT_NEAR((0.995 - p) * (0.995 - p), z * z * p * (1 - p) / 200, 1e-12);
  }
  EXPECT_EQ(share(0, 10).low, 0.0);
  EXPECT_EQ(share(10, 10).high, 1.0);
  EXPECT_FALSE(share(0, 0).known);
}

TEST(Classify, TiesGoToTheLowerIndex) {
  const std::vector<double> scores = {0.1, 0.4, 0.4, 0.1};
  EXPECT_EQ(classify_row(1, scores, true)[1], 0);
  EXPECT_EQ(classify_row(2, scores, true)[1], 1);
  EXPECT_EQ(classify_row(3, scores, true)[1], 3);
  EXPECT_EQ(classify_row(0, scores, false)[2], -1);
}

TEST(Classify, CountsAndCalibration) {
  // Three of four right, each with confidence 0.75: no error of calibration.
  std::vector<Row> rows;
  for (const int64_t label : {0, 0, 0, 1})
    rows.push_back(classify_row(label, std::vector{0.75, 0.25}, true));
  const Json m = metrics_of(Task::classify, rows);
  EXPECT_EQ(m.get("top1")->get_integer("right"), 3);
  EXPECT_EQ(m.get("top1")->get_integer("count"), 4);
  EXPECT_EQ(m.get("top5")->get_integer("right"), 4);
  EXPECT_NEAR(number(*m.get("calibration_error"), "value"), 0.0, 1e-12);
  const Json zero = m.get("classes")->at(0);
  EXPECT_EQ(zero.get("precision")->get_integer("count"), 4);
  EXPECT_EQ(zero.get("recall")->get_integer("count"), 3);
}

TEST(Segment, MeanOverClassesThatAppear) {
  // Class 0: 2 of 4 pixels; class 1: 1 of 3; class 2 was found and is not there: 0 of 1. 255 is not
  // judged.
  const std::vector<uint8_t> truth = {0, 0, 0, 1, 1, 255}, found = {0, 0, 1, 1, 2, 0};
  const Json m = metrics_of(Task::segment, {segment_row(found, truth)});
  EXPECT_NEAR(number(*m.get("mIoU"), "value"), (2.0 / 3.0 + 1.0 / 3.0 + 0.0) / 3.0, 1e-12);
  EXPECT_NEAR(number(*m.get("pixels_right"), "value"), 3.0 / 5.0, 1e-12);
}

// Class 1 is found in every second picture: its overlap over a resample is the share of those in
// it.
TEST(Segment, ClassesHaveTheirInterval) {
  const std::vector<uint8_t> truth = {0, 1}, missed = {0, 0};
  std::vector<Row> rows;
  for (int i = 0; i < 40; ++i) rows.push_back(segment_row(i % 2 == 0 ? truth : missed, truth));
  const Json one = metrics_of(Task::segment, rows).get("classes")->at(1);
  EXPECT_EQ(number(one, "IoU"), 0.5);
  EXPECT_GT(number(one, "low"), 0.25);
  EXPECT_LT(number(one, "low"), 0.45);
  EXPECT_GT(number(one, "high"), 0.55);
  EXPECT_LT(number(one, "high"), 0.75);
}

TEST(Regress, MeanErrors) {
  const std::vector<Row> rows = {regress_row(std::vector{1.0}, std::vector{2.0}),
                                 regress_row(std::vector{5.0}, std::vector{2.0})};
  const Json m = metrics_of(Task::regress, rows);
  EXPECT_NEAR(number(*m.get("MAE"), "value"), 2.0, 1e-12);
  EXPECT_NEAR(number(*m.get("RMSE"), "value"), std::sqrt(5.0), 1e-12);
}

TEST(Anomaly, AreaIsTheShareOfPairs) {
  XorShift32 random(5);
  std::vector<Row> rows;
  std::vector<std::pair<int, double>> samples;
  for (int i = 0; i < 100; ++i) {
    const int label = random.next() % 3 == 0;
    const double score = (random.next() % 12 + (label ? 3 : 0)) / 4.0;  // many ties
    samples.emplace_back(label, score);
    rows.push_back(anomaly_row(label, score));
  }
  double sum = 0;
  int pairs = 0;
  for (const auto& [a, x] : samples) {
    for (const auto& [b, y] : samples) {
      if (a != 1 || b != 0) continue;
      sum += x > y ? 1.0 : x == y ? 0.5 : 0.0;
      ++pairs;
    }
  }
  const Json m = metrics_of(Task::anomaly, rows);
  EXPECT_NEAR(number(*m.get("AUC"), "value"), sum / pairs, 1e-12);
  EXPECT_EQ(m.get_integer("pairs"), pairs);
}

TEST(Anomaly, OneKindOnlyIsNothingToJudge) {
  const Json m = metrics_of(Task::anomaly, {anomaly_row(0, 1.0), anomaly_row(0, 2.0)});
  EXPECT_FALSE(m.get("AUC")->is_object());
}

TEST(Pairs, McNemarOfTenAgainstTwo) {
  // Twice the sum of the binomials of 12 up to 2, over 2^12: 2 * (1 + 12 + 66) / 4096.
  std::vector<Row> a, b;
  const std::vector<double> zero = {0.9, 0.1}, one = {0.1, 0.9};
  for (int i = 0; i < 12; ++i) {
    a.push_back(classify_row(0, i < 10 ? zero : one, false));
    b.push_back(classify_row(0, i < 10 ? one : zero, false));
  }
  Rows pa, pb;
  for (const Row& r : a) pa.push_back(&r);
  for (const Row& r : b) pb.push_back(&r);
  const Json j = pair_json(Task::classify, pa, pb, {});
  EXPECT_NEAR(number(j, "mcnemar_p"), 2.0 * (1 + 12 + 66) / 4096, 1e-12);
  EXPECT_EQ(j.get_integer("right_in_first_only"), 10);
}

TEST(Rows, WhatIsNoRowIsRefused) {
  EXPECT_FALSE(is_row(Task::classify, {}));
  EXPECT_FALSE(is_row(Task::classify, {0, 0, -1, 1, 3}));  // right, but another class is best
  EXPECT_FALSE(is_row(Task::detect, {1, 0}));
  EXPECT_FALSE(is_row(Task::detect, {int64_t{1} << 62, 0}));
  EXPECT_FALSE(is_row(Task::segment, {1, 300, 0, 1}));
  EXPECT_FALSE(is_row(Task::regress, {1, bits_of(INFINITY), 0}));
  EXPECT_FALSE(is_row(Task::anomaly, {2, 0}));
}

}  // namespace
}  // namespace edgetwin::evaluation
