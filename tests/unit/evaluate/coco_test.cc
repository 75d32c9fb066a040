// Average precision against the definition of COCO, written here once more, slow and plain: its own
// matching, its own precision at each recall.
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "evaluate/metrics/row.h"

namespace edgetwin::evaluation {
namespace {

struct Scene {
  std::vector<TrueObject> truth;
  std::vector<FoundObject> found;
};

using Scenes = std::vector<Scene>;

struct Range {
  double low, high;
};
constexpr Range kAllAreas{0, 1e10}, kSmall{0, 1024}, kMedium{1024, 9216}, kLarge{9216, 1e10};

bool within(double area, Range r) { return area >= r.low && area <= r.high; }

double textbook_overlap(const FoundObject& f, const TrueObject& t) {
  const double left = std::max(f.box[0], t.box[0]), top = std::max(f.box[1], t.box[1]);
  const double right = std::min(f.box[0] + f.box[2], t.box[0] + t.box[2]);
  const double bottom = std::min(f.box[1] + f.box[3], t.box[1] + t.box[3]);
  if (right <= left || bottom <= top) return 0.0;
  const double both = (right - left) * (bottom - top), own = f.box[2] * f.box[3];
  return t.crowd ? both / own : both / (own + t.box[2] * t.box[3] - both);
}

double textbook_similarity(const FoundObject& f, const TrueObject& t) {
  constexpr double kSpread[17] = {.026, .025, .025, .035, .035, .079, .079, .072, .072,
                                  .062, .062, .107, .107, .087, .087, .089, .089};
  double sum = 0, count = 0;
  for (int k = 0; k < 17; ++k) {
    if (t.keypoints[static_cast<size_t>(3 * k + 2)] == 0) continue;
    const double dx =
        f.keypoints[static_cast<size_t>(2 * k)] - t.keypoints[static_cast<size_t>(3 * k)];
    const double dy =
        f.keypoints[static_cast<size_t>(2 * k + 1)] - t.keypoints[static_cast<size_t>(3 * k + 1)];
    const double k2 = 4 * kSpread[k] * kSpread[k];
    sum += std::exp(-(dx * dx + dy * dy) / (2 * t.area * k2));
    ++count;
  }
  return sum / count;
}

struct Mark {
  double score;
  bool right;
};

// All found objects of a category that count, the best first, and how many true ones there are.
struct Judgement {
  std::vector<Mark> marks;
  int positives = 0;
};

Judgement textbook_marks(const Scenes& scenes, int64_t category, double threshold, Range range,
                         size_t most, bool keypoints) {
  Judgement j;
  std::vector<std::pair<double, int>> order;  // score and verdict: 1 right, 0 wrong, -1 left out
  for (const Scene& s : scenes) {
    std::vector<const FoundObject*> found;
    for (const auto& f : s.found) {
      if (f.category == category) found.push_back(&f);
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto* a, const auto* b) { return a->score > b->score; });
    if (found.size() > most) found.resize(most);
    std::vector<const TrueObject*> truth;
    std::vector<bool> counts, used;
    for (const auto& t : s.truth) {
      if (t.category != category) continue;
      truth.push_back(&t);
      counts.push_back(!t.crowd && within(t.area, range) && (!keypoints || t.visible > 0));
      j.positives += counts.back();
    }
    used.assign(truth.size(), false);
    for (const auto* f : found) {
      int partner = -1;
      for (const bool wanted : {true, false}) {
        double best = threshold;
        for (size_t t = 0;
             t < truth.size() && (partner < 0 || counts[static_cast<size_t>(partner)] == wanted);
             ++t) {
          if (counts[t] != wanted || (used[t] && !truth[t]->crowd)) continue;
          const double o =
              keypoints ? textbook_similarity(*f, *truth[t]) : textbook_overlap(*f, *truth[t]);
          if (o >= best) best = o, partner = static_cast<int>(t);
        }
        if (partner >= 0) break;
      }
      int verdict = within(f->area, range) ? 0 : -1;
      if (partner >= 0) {
        used[static_cast<size_t>(partner)] = true;
        verdict = counts[static_cast<size_t>(partner)] ? 1 : -1;
      }
      order.emplace_back(f->score, verdict);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [score, verdict] : order) {
    if (verdict >= 0) j.marks.push_back({score, verdict == 1});
  }
  return j;
}

// The mean over 101 recalls of the best precision at that recall or beyond.
double textbook_precision(const Judgement& j) {
  double sum = 0;
  for (int r = 0; r <= 100; ++r) {
    double best = 0;
    int right = 0;
    for (size_t i = 0; i < j.marks.size(); ++i) {
      right += j.marks[i].right;
      // In the doubles of the reference: a recall is r * 0.01, which may lie above r / 100.
      if (right / static_cast<double>(j.positives) >= (r == 100 ? 1.0 : r * 0.01)) {
        best = std::max(best, right / static_cast<double>(i + 1));
      }
    }
    sum += best;
  }
  return sum / 101;
}

double textbook_recall(const Judgement& j) {
  int right = 0;
  for (const Mark& m : j.marks) right += m.right;
  return right / static_cast<double>(j.positives);
}

enum class What { precision, recall };

double textbook(const Scenes& scenes, What what, std::vector<double> thresholds, Range range,
                size_t most, bool keypoints) {
  double sum = 0;
  int count = 0;
  for (int64_t category = 0; category < 8; ++category) {
    for (const double t : thresholds) {
      const Judgement j = textbook_marks(scenes, category, t, range, most, keypoints);
      if (j.positives == 0) continue;
      sum += what == What::precision ? textbook_precision(j) : textbook_recall(j);
      ++count;
    }
  }
  return count == 0 ? -1 : sum / count;
}

std::vector<double> all_thresholds() {
  std::vector<double> t;
  for (int i = 0; i < 10; ++i) t.push_back(0.5 + 0.05 * i);
  return t;
}

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
    const auto all = all_thresholds();
    const auto is = [&](const char* key, What what, std::vector<double> t, Range range,
                        size_t most) {
      EXPECT_NEAR(value(m, key), textbook(scenes, what, t, range, most, false), 1e-9)
          << key << " of seed " << seed;
    };
    is("AP", What::precision, all, kAllAreas, 100);
    is("AP50", What::precision, {0.5}, kAllAreas, 100);
    is("AP75", What::precision, {0.75}, kAllAreas, 100);
    is("AP_small", What::precision, all, kSmall, 100);
    is("AP_medium", What::precision, all, kMedium, 100);
    is("AP_large", What::precision, all, kLarge, 100);
    is("AR_1", What::recall, all, kAllAreas, 1);
    is("AR_10", What::recall, all, kAllAreas, 10);
    is("AR_100", What::recall, all, kAllAreas, 100);
    is("AR_small", What::recall, all, kSmall, 100);
    is("AR_medium", What::recall, all, kMedium, 100);
    is("AR_large", What::recall, all, kLarge, 100);
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
  const auto all = all_thresholds();
  EXPECT_NEAR(value(m, "AP"), textbook(scenes, What::precision, all, kAllAreas, 20, true), 1e-9);
  EXPECT_NEAR(value(m, "AP75"), textbook(scenes, What::precision, {0.75}, kAllAreas, 20, true),
              1e-9);
  EXPECT_NEAR(value(m, "AP_medium"), textbook(scenes, What::precision, all, kMedium, 20, true),
              1e-9);
  EXPECT_NEAR(value(m, "AP_large"), textbook(scenes, What::precision, all, kLarge, 20, true), 1e-9);
  EXPECT_NEAR(value(m, "AR"), textbook(scenes, What::recall, all, kAllAreas, 20, true), 1e-9);
  EXPECT_NEAR(value(m, "AR50"), textbook(scenes, What::recall, {0.5}, kAllAreas, 20, true), 1e-9);
}

}  // namespace
}  // namespace edgetwin::evaluation
