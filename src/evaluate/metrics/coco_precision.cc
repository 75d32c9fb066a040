// Average precision and recall from matches, as the reference program of COCO accumulates them.
// pycocotools, cocoeval.py: accumulate, summarize.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "evaluate/metrics/coco.h"
#include "evaluate/metrics/parts_of_metrics.h"
#include "evaluate/precision/precision.h"

namespace edgetwin::evaluation {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// A found object, in the order of all pictures.
struct Object {
  double score = 0.0;
  uint32_t sample = 0, place = 0;  // place among those of its category in the picture
  std::array<int64_t, 4> bits{};
};

struct Category {
  std::vector<Object> objects;                                      // the best first
  std::vector<std::pair<uint32_t, std::array<int64_t, 4>>> counts;  // sample, true objects
};

std::map<int64_t, Category> categories_of(const Rows& rows, size_t areas) {
  std::map<int64_t, Category> all;
  for (size_t s = 0; s < rows.size(); ++s) {
    const Row& r = *rows[s];
    size_t at = 2;
    std::map<int64_t, uint32_t> places;
    for (int64_t i = 0; i < r[0]; ++i, at += 2 + areas) {
      Object o{real_of(r[at + 1]), static_cast<uint32_t>(s), places[r[at]]++, {}};
      std::copy_n(r.begin() + static_cast<int64_t>(at) + 2, areas, o.bits.begin());
      all[r[at]].objects.push_back(o);
    }
    for (int64_t i = 0; i < r[1]; ++i, at += 1 + areas) {
      std::array<int64_t, 4> counts{};
      std::copy_n(r.begin() + static_cast<int64_t>(at) + 1, areas, counts.begin());
      all[r[at]].counts.emplace_back(static_cast<uint32_t>(s), counts);
    }
  }
  for (auto& [index, c] : all) {
    std::ranges::stable_sort(c.objects, std::ranges::greater{}, &Object::score);
  }
  return all;
}

// Of one category, range of areas, threshold and number of objects per picture.
struct Curve {
  double precision = 0.0;  // sum over the recall thresholds
  double recall = 0.0;
};

struct Cut {
  size_t area = 0, threshold = 0, most = 0;
};

Curve curve_of(const Category& c, const Weights& weights, double positives, const Cut& cut) {
  std::vector<double> recall, precision;
  double right = 0.0, wrong = 0.0;
  for (const Object& o : c.objects) {
    if (o.place >= cut.most || weights[o.sample] == 0) continue;
    const int64_t bits = o.bits[cut.area] >> cut.threshold;
    if ((bits >> kThresholds & 1) == 0) {
      ((bits & 1) != 0 ? right : wrong) += weights[o.sample];
    }
    recall.push_back(right / positives);
    precision.push_back(right / (wrong + right + std::numeric_limits<double>::epsilon()));
  }
  Curve curve;
  if (recall.empty()) return curve;
  curve.recall = recall.back();
  curve.precision = precision_sum(recall, precision);
  return curve;
}

// Means over categories and thresholds; a category without true objects does not count.
struct Means {
  double precision = 0.0, recall = 0.0;
  int64_t curves = 0;
  double ap() const {
    return curves == 0 ? kNothing : precision / static_cast<double>(curves) / double{kRecalls};
  }
  double ar() const { return curves == 0 ? kNothing : recall / static_cast<double>(curves); }
};

using All = std::map<int64_t, Category>;

Means means_of(const All& all, const Weights& weights, size_t area, size_t most, size_t first,
               size_t last) {
  Means m;
  for (const auto& [index, c] : all) {
    int64_t positives = 0;
    for (const auto& [sample, counts] : c.counts) {
      positives += counts[area] * static_cast<int64_t>(weights[sample]);
    }
    if (positives == 0) continue;
    for (size_t t = first; t <= last; ++t) {
      const Curve curve = curve_of(c, weights, static_cast<double>(positives), {area, t, most});
      m.precision += curve.precision;
      m.recall += curve.recall;
      ++m.curves;
    }
  }
  return m;
}

constexpr size_t kLast = kThresholds - 1;
constexpr size_t k75 = 5;  // of the thresholds

const std::vector<std::string> kBoxNames = {"AP",        "AP50",     "AP75",      "AP_small",
                                            "AP_medium", "AP_large", "AR_1",      "AR_10",
                                            "AR_100",    "AR_small", "AR_medium", "AR_large"};
const std::vector<std::string> kPointNames = {"AP", "AP50", "AP75", "AP_medium", "AP_large",
                                              "AR", "AR50", "AR75", "AR_medium", "AR_large"};

std::vector<double> box_numbers(const All& all, const Weights& w) {
  const Means whole = means_of(all, w, 0, 100, 0, kLast);
  const Means small = means_of(all, w, 1, 100, 0, kLast);
  const Means medium = means_of(all, w, 2, 100, 0, kLast);
  const Means large = means_of(all, w, 3, 100, 0, kLast);
  return {whole.ap(),
          means_of(all, w, 0, 100, 0, 0).ap(),
          means_of(all, w, 0, 100, k75, k75).ap(),
          small.ap(),
          medium.ap(),
          large.ap(),
          means_of(all, w, 0, 1, 0, kLast).ar(),
          means_of(all, w, 0, 10, 0, kLast).ar(),
          whole.ar(),
          small.ar(),
          medium.ar(),
          large.ar()};
}

std::vector<double> point_numbers(const All& all, const Weights& w) {
  const Means whole = means_of(all, w, 0, 20, 0, kLast);
  const Means half = means_of(all, w, 0, 20, 0, 0);
  const Means tight = means_of(all, w, 0, 20, k75, k75);
  const Means medium = means_of(all, w, 1, 20, 0, kLast);
  const Means large = means_of(all, w, 2, 20, 0, kLast);
  return {whole.ap(), half.ap(), tight.ap(), medium.ap(), large.ap(),
          whole.ar(), half.ar(), tight.ar(), medium.ar(), large.ar()};
}

// True, found and matched objects at the first threshold, for people.
struct Sums {
  int64_t truth = 0, found = 0, matched = 0, wrong = 0;
};

Sums sums_of(const Row& r, bool keypoints) {
  const size_t areas = area_ranges(keypoints).size();
  Sums s;
  s.found = r[0];
  size_t at = 2;
  for (int64_t i = 0; i < r[0]; ++i, at += 2 + areas) {
    const bool ignored = (r[at + 2] >> kThresholds & 1) != 0;
    const bool matched = (r[at + 2] & 1) != 0;
    s.matched += matched && !ignored;
    s.wrong += !matched && !ignored;
  }
  for (int64_t i = 0; i < r[1]; ++i, at += 1 + areas) s.truth += r[at + 1];
  return s;
}

// The AP of each class, in their order.
std::vector<Figure> class_figures(const All& all, size_t samples, size_t most) {
  std::vector<All> each;
  for (const auto& entry : all) each.push_back({entry});
  return resampled(samples, [&](const Weights& w) {
    std::vector<double> aps;
    for (const All& one : each) aps.push_back(means_of(one, w, 0, most, 0, kLast).ap());
    return aps;
  });
}

Json classes_json(const All& all, size_t samples, std::span<const std::string> names, size_t most) {
  Json list = Json::array();
  const std::vector<Figure> figures = class_figures(all, samples, most);
  for (const auto& [index, c] : all) {
    int64_t truth = 0;
    for (const auto& [sample, counts] : c.counts) truth += counts[0];
    const Figure& ap = figures[list.size()];
    Json j = Json::object();
    j.set("class", index);
    if (static_cast<size_t>(index) < names.size() && !names[static_cast<size_t>(index)].empty()) {
      j.set("name", names[static_cast<size_t>(index)]);
    }
    j.set("count", truth).set("found", static_cast<int64_t>(c.objects.size()));
    j.set("AP", ap.known ? ap.value : kNothing);
    j.set("low", ap.known ? ap.low : kNothing).set("high", ap.known ? ap.high : kNothing);
    list.push(std::move(j));
  }
  return list;
}

}  // namespace

double detect_badness(const Row& r, bool keypoints) {
  const Sums s = sums_of(r, keypoints);
  // A missed object weighs more than any number of surplus ones.
  return static_cast<double>(s.truth - s.matched) + 1e-3 * static_cast<double>(s.wrong);
}

std::string detect_verdict(const Row& r, bool keypoints) {
  const Sums s = sums_of(r, keypoints);
  return std::to_string(s.matched) + " of " + std::to_string(s.truth) + " found at 0.5, " +
         std::to_string(s.wrong) + " too many";
}

Json detect_metrics(const Rows& rows, std::span<const std::string> classes, bool keypoints) {
  const All all = categories_of(rows, area_ranges(keypoints).size());
  const auto& names = keypoints ? kPointNames : kBoxNames;
  const auto figures = resampled(rows.size(), [&](const Weights& w) {
    return keypoints ? point_numbers(all, w) : box_numbers(all, w);
  });
  Json j = Json::object();
  for (size_t i = 0; i < names.size(); ++i) j.set(names[i], to_json(figures[i]));
  Sums total;
  for (const Row* r : rows) {
    const Sums s = sums_of(*r, keypoints);
    total.truth += s.truth;
    total.found += s.found;
    total.matched += s.matched;
  }
  j.set("recall_50", share_json(total.matched, total.truth)).set("found", total.found);
  return j.set("classes", classes_json(all, rows.size(), classes, most_objects(keypoints)));
}

}  // namespace edgetwin::evaluation
