// Average precision against the definition of COCO as coco_textbook.h has it.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "evaluate/metrics/row.h"
#include "unit/evaluate/coco_textbook.h"

namespace edgetwin::evaluation {
namespace {

using namespace coco_textbook;

Json measured(const Scenes& scenes, bool keypoints) {
  std::vector<Row> rows;
  for (const Scene& s : scenes) rows.push_back(detect_row(s.truth, s.found, keypoints));
  Rows pointers;
  const Task task = keypoints ? Task::keypoints : Task::detect;
  for (const Row& r : rows) {
    EXPECT_TRUE(is_row(task, r));
    pointers.push_back(&r);
  }
  return metrics_json(task, pointers, {});
}

double value(const Json& metrics, const char* key) {
  const auto figure = metrics.get(key);
  if (!figure || !figure->is_object()) return -1;
  return *figure->get("value")->as_number();
}

// Boxes on a grid of 4 pixels and scores in eighths: ties of all kinds.
Scenes random_scenes(uint32_t seed, int count) {
  XorShift32 random(seed);
  Scenes scenes(static_cast<size_t>(count));
  for (Scene& s : scenes) {
    for (uint32_t n = random.next() % 6; n > 0; --n) {
      TrueObject t;
      t.category = random.next() % 3;
      t.box = {4.0 * (random.next() % 30), 4.0 * (random.next() % 30),
               4.0 * (1 + random.next() % 40), 4.0 * (1 + random.next() % 40)};
      t.area = t.box[2] * t.box[3] * (random.next() % 3 == 0 ? 0.5 : 1.0);
      t.crowd = random.next() % 6 == 0;
      s.truth.push_back(t);
    }
    const auto found = [&](std::array<double, 4> box, int64_t category) {
      FoundObject f;
      f.category = category;
      f.box = box;
      f.area = box[2] * box[3];
      f.score = (random.next() % 8) / 8.0;
      s.found.push_back(f);
    };
    for (const TrueObject& t : s.truth) {
      for (uint32_t n = random.next() % 3; n > 0; --n) {
        auto box = t.box;
        for (double& v : box) v += 2.0 * (random.next() % 4);
        found(box, t.category);
      }
    }
    // A fourth class that no picture has, and boxes where nothing is.
    for (uint32_t n = random.next() % 3; n > 0; --n) found({100, 100, 20, 20}, random.next() % 4);
  }
  return scenes;
}

TEST(Coco, TwelveNumbersOfRandomSets) {
  for (const uint32_t seed : {1U, 2U, 3U}) {
    const Scenes scenes = random_scenes(seed, 100);
    const Json m = measured(scenes, false);
    for (const Number& n : twelve_numbers(scenes)) {
      EXPECT_NEAR(value(m, n.key), n.value, 1e-9) << n.key << " of seed " << seed;
    }
  }
}

TrueObject box_at(double x, double y, double w, double h, int64_t category = 0) {
  TrueObject t;
  t.category = category;
  t.box = {x, y, w, h};
  t.area = w * h;
  return t;
}

FoundObject found_at(double x, double y, double w, double h, double score, int64_t category = 0) {
  FoundObject f;
  f.category = category;
  f.box = {x, y, w, h};
  f.area = w * h;
  f.score = score;
  return f;
}

TEST(Coco, OneOfTwoFound) {
  // Precision 1 up to a recall of one half: 51 of the 101 recalls.
  const Json m = measured(
      {{{box_at(0, 0, 50, 50), box_at(100, 0, 50, 50)}, {found_at(0, 0, 50, 50, 0.9)}}}, false);
  EXPECT_NEAR(value(m, "AP"), 51.0 / 101.0, 1e-12);
  EXPECT_NEAR(value(m, "AR_100"), 0.5, 1e-12);
  EXPECT_EQ(value(m, "AP_small"), -1);
}

// One object in each of forty pictures, found in every second one without anything wrong: the AP of
// a resample is the share of those in it, by 101 recalls.
TEST(Coco, ClassesHaveTheirInterval) {
  const TrueObject there = box_at(0, 0, 50, 50);
  const FoundObject right = found_at(0, 0, 50, 50, 0.9);
  Scenes scenes;
  for (int i = 0; i < 40; ++i) {
    scenes.push_back(i % 2 == 0 ? Scene{{there}, {right}} : Scene{{there}, {}});
  }
  const Json m = measured(scenes, false);
  const Json one = m.get("classes")->at(0);
  const auto number = [&](const char* key) { return *one.get(key)->as_number(); };
  EXPECT_NEAR(number("AP"), value(m, "AP"), 1e-12);
  EXPECT_GT(number("low"), 0.25);
  EXPECT_LT(number("low"), 0.45);
  EXPECT_GT(number("high"), 0.55);
  EXPECT_LT(number("high"), 0.75);
}

TEST(Coco, OverlapOfThreeFifths) {
  // Shifted by a quarter: 37.5 / 62.5 = 0.6, right at the thresholds 0.5, 0.55 and 0.6.
  const Json m = measured({{{box_at(0, 0, 100, 100)}, {found_at(25, 0, 100, 100, 0.5)}}}, false);
  EXPECT_NEAR(value(m, "AP50"), 1.0, 1e-12);
  EXPECT_NEAR(value(m, "AP"), 0.3, 1e-12);
}

TEST(Coco, CrowdIsNeitherRightNorWrong) {
  TrueObject crowd = box_at(0, 0, 200, 200);
  crowd.crowd = true;
  const Json m = measured({{{box_at(300, 0, 50, 50), crowd},
                            {found_at(0, 0, 60, 60, 0.9), found_at(20, 20, 60, 60, 0.8),
                             found_at(300, 0, 50, 50, 0.7)}}},
                          false);
  EXPECT_NEAR(value(m, "AP"), 1.0, 1e-12);
}

TEST(Coco, NothingTrueIsNothingToJudge) {
  const Json m = measured({{{}, {found_at(0, 0, 10, 10, 0.9)}}}, false);
  EXPECT_EQ(value(m, "AP"), -1);
}

TEST(Coco, KeypointsOfRandomSets) {
  XorShift32 random(7);
  Scenes scenes(60);
  for (Scene& s : scenes) {
    for (uint32_t n = random.next() % 4; n > 0; --n) {
      TrueObject t = box_at(10.0 * (random.next() % 20), 0, 40 + random.next() % 100, 90);
      t.crowd = random.next() % 8 == 0;
      for (int k = 0; k < 17; ++k) {
        t.keypoints.push_back(t.box[0] + random.next() % 60);
        t.keypoints.push_back(random.next() % 90);
        t.keypoints.push_back(k == 0 || random.next() % 3 > 0 ? 2 : 0);
        t.visible += t.keypoints.back() > 0;
      }
      FoundObject f = found_at(t.box[0], 0, t.box[2], t.box[3], (random.next() % 16) / 16.0);
      for (int k = 0; k < 17; ++k) {
        f.keypoints.push_back(t.keypoints[static_cast<size_t>(3 * k)] + random.next() % 12);
        f.keypoints.push_back(t.keypoints[static_cast<size_t>(3 * k + 1)] + random.next() % 12);
      }
      s.truth.push_back(t);
      if (random.next() % 4 > 0) s.found.push_back(f);
    }
  }
  const Json m = measured(scenes, true);
  for (const Number& n : ten_numbers(scenes)) {
    EXPECT_NEAR(value(m, n.key), n.value, 1e-9) << n.key;
  }
}

}  // namespace
}  // namespace edgetwin::evaluation
