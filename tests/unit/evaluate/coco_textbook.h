// COCO's average precision, written once more from its definition, slow and plain: its own
// matching, its own precision at each recall.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "evaluate/metrics/row.h"

namespace edgetwin::evaluation::coco_textbook {

struct Scene {
  std::vector<TrueObject> truth;
  std::vector<FoundObject> found;
};

using Scenes = std::vector<Scene>;

struct Range {
  double low, high;
};
inline constexpr Range kAllAreas{0, 1e10}, kSmall{0, 1024}, kMedium{1024, 9216}, kLarge{9216, 1e10};

inline bool within(double area, Range r) { return area >= r.low && area <= r.high; }

inline double textbook_overlap(const FoundObject& f, const TrueObject& t) {
  const double left = std::max(f.box[0], t.box[0]), top = std::max(f.box[1], t.box[1]);
  const double right = std::min(f.box[0] + f.box[2], t.box[0] + t.box[2]);
  const double bottom = std::min(f.box[1] + f.box[3], t.box[1] + t.box[3]);
  if (right <= left || bottom <= top) return 0.0;
  const double both = (right - left) * (bottom - top), own = f.box[2] * f.box[3];
  return t.crowd ? both / own : both / (own + t.box[2] * t.box[3] - both);
}

// How far a point is outside of the box made three times as large around its middle. Of people none
// of whose points is annotated.
inline std::pair<double, double> outside(double x, double y, const std::array<double, 4>& box) {
  const double left = box[0] - box[2], right = box[0] + 2 * box[2];
  const double top = box[1] - box[3], bottom = box[1] + 2 * box[3];
  return {x < left    ? left - x
          : x > right ? x - right
                      : 0.0,
          y < top      ? top - y
          : y > bottom ? y - bottom
                       : 0.0};
}

inline double textbook_similarity(const FoundObject& f, const TrueObject& t) {
  constexpr double kSpread[17] = {.026, .025, .025, .035, .035, .079, .079, .072, .072,
                                  .062, .062, .107, .107, .087, .087, .089, .089};
  double sum = 0, count = 0;
  for (int k = 0; k < 17; ++k) {
    if (t.visible == 0) {
      const auto [dx, dy] = outside(f.keypoints[static_cast<size_t>(2 * k)],
                                    f.keypoints[static_cast<size_t>(2 * k + 1)], t.box);
      sum += std::exp(-(dx * dx + dy * dy) / (2 * t.area * 4 * kSpread[k] * kSpread[k]));
      ++count;
      continue;
    }
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

inline Judgement textbook_marks(const Scenes& scenes, int64_t category, double threshold,
                                Range range, size_t most, bool keypoints) {
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
inline double textbook_precision(const Judgement& j) {
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

inline double textbook_recall(const Judgement& j) {
  int right = 0;
  for (const Mark& m : j.marks) right += m.right;
  return right / static_cast<double>(j.positives);
}

enum class What { precision, recall };

inline double textbook(const Scenes& scenes, What what, std::vector<double> thresholds, Range range,
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

// As numpy's linspace makes them: 0.85 and 0.9 are one unit in the last place below 0.5 + 0.05 i.
inline std::vector<double> all_thresholds() {
  std::vector<double> t;
  for (int i = 0; i < 9; ++i) t.push_back(0.5 + i * ((0.95 - 0.5) / 9));
  t.push_back(0.95);
  return t;
}

struct Number {
  const char* key;
  double value;
};

// The twelve numbers of boxes.
inline std::vector<Number> twelve_numbers(const Scenes& scenes) {
  const auto all = all_thresholds();
  const auto precision = [&](const std::vector<double>& t, Range range) {
    return textbook(scenes, What::precision, t, range, 100, false);
  };
  const auto recall = [&](Range range, size_t most) {
    return textbook(scenes, What::recall, all, range, most, false);
  };
  return {{"AP", precision(all, kAllAreas)},        {"AP50", precision({0.5}, kAllAreas)},
          {"AP75", precision({all[5]}, kAllAreas)}, {"AP_small", precision(all, kSmall)},
          {"AP_medium", precision(all, kMedium)},   {"AP_large", precision(all, kLarge)},
          {"AR_1", recall(kAllAreas, 1)},           {"AR_10", recall(kAllAreas, 10)},
          {"AR_100", recall(kAllAreas, 100)},       {"AR_small", recall(kSmall, 100)},
          {"AR_medium", recall(kMedium, 100)},      {"AR_large", recall(kLarge, 100)}};
}

// The ten numbers of people.
inline std::vector<Number> ten_numbers(const Scenes& scenes) {
  const auto all = all_thresholds();
  const auto of = [&](What what, const std::vector<double>& t, Range range) {
    return textbook(scenes, what, t, range, 20, true);
  };
  return {{"AP", of(What::precision, all, kAllAreas)},
          {"AP50", of(What::precision, {0.5}, kAllAreas)},
          {"AP75", of(What::precision, {all[5]}, kAllAreas)},
          {"AP_medium", of(What::precision, all, kMedium)},
          {"AP_large", of(What::precision, all, kLarge)},
          {"AR", of(What::recall, all, kAllAreas)},
          {"AR50", of(What::recall, {0.5}, kAllAreas)},
          {"AR75", of(What::recall, {all[5]}, kAllAreas)},
          {"AR_medium", of(What::recall, all, kMedium)},
          {"AR_large", of(What::recall, all, kLarge)}};
}

}  // namespace edgetwin::evaluation::coco_textbook
