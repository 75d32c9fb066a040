// Which found objects are true ones, as the reference program of COCO decides it: greedily, the
// best score first, at ten thresholds and within ranges of area. pycocotools, cocoeval.py:
// computeIoU, computeOks, evaluateImg; maskApi.c: bbIou.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "evaluate/metrics/coco.h"
#include "evaluate/metrics/parts_of_metrics.h"
#include "evaluate/precision/precision.h"

namespace edgetwin::evaluation {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();  // numpy.spacing(1)

// Standard deviations of the key points, from the same file.
constexpr std::array<double, 17> kSigmas = {.26, .25, .25,  .35,  .35, .79, .79, .72, .72,
                                            .62, .62, 1.07, 1.07, .87, .87, .89, .89};

// Without annotated points the distance counts to twice the box.
double beyond(double at, double low, double high) {
  return std::max(0.0, low - at) + std::max(0.0, at - high);
}

double keypoint_similarity(const std::vector<double>& found, const TrueObject& truth) {
  const auto& b = truth.box;
  size_t annotated = 0;
  for (size_t k = 0; k < kSigmas.size(); ++k) annotated += truth.keypoints[3 * k + 2] > 0;
  double sum = 0.0;
  for (size_t k = 0; k < kSigmas.size(); ++k) {
    if (annotated > 0 && truth.keypoints[3 * k + 2] <= 0) continue;
    const double x = found[2 * k], y = found[2 * k + 1];
    const double dx =
        annotated > 0 ? x - truth.keypoints[3 * k] : beyond(x, b[0] - b[2], b[0] + b[2] * 2);
    const double dy =
        annotated > 0 ? y - truth.keypoints[3 * k + 1] : beyond(y, b[1] - b[3], b[1] + b[3] * 2);
    const double sigma = kSigmas[k] / 10.0 * 2;
    sum += std::exp(-((dx * dx + dy * dy) / (sigma * sigma) / (truth.area + kEpsilon) / 2));
  }
  return sum / static_cast<double>(annotated > 0 ? annotated : kSigmas.size());
}

// One category of one picture.
struct Group {
  std::vector<const TrueObject*> truth;
  std::vector<const FoundObject*> found;  // the best first
};

bool in_range(double area, const AreaRange& range) {
  return area >= range.low && area <= range.high;
}

// The true objects in the order in which they are tried: those that do not count last.
struct Ordered {
  std::vector<size_t> order;
  std::vector<bool> ignored;  // of each in this order
};

Ordered ordered_truth(const Group& g, const AreaRange& range, bool keypoints) {
  Ordered o;
  std::vector<bool> ignored;
  for (const TrueObject* t : g.truth) {
    ignored.push_back(t->crowd || (keypoints && t->visible == 0) || !in_range(t->area, range));
  }
  for (const bool wanted : {false, true}) {
    for (size_t i = 0; i < ignored.size(); ++i) {
      if (ignored[i] != wanted) continue;
      o.order.push_back(i);
      o.ignored.push_back(wanted);
    }
  }
  return o;
}

using Overlaps = std::vector<std::vector<double>>;  // [found][true]

// The true objects as found object `d` sees them.
std::vector<Candidate> candidates_of(const Group& g, const Ordered& o,
                                     const std::vector<double>& overlaps) {
  std::vector<Candidate> all;
  for (size_t k = 0; k < o.order.size(); ++k) {
    all.push_back({overlaps[o.order[k]], o.ignored[k], g.truth[o.order[k]]->crowd});
  }
  return all;
}

// Bits 0 to 9: matched at the threshold; 10 to 19: does not count there.
std::vector<int64_t> matches(const Group& g, const Overlaps& overlaps, const AreaRange& range,
                             bool keypoints) {
  const Ordered o = ordered_truth(g, range, keypoints);
  std::vector<int64_t> bits(g.found.size(), 0);
  std::vector<std::vector<Candidate>> candidates;
  for (const std::vector<double>& own : overlaps) candidates.push_back(candidates_of(g, o, own));
  for (size_t t = 0; t < kThresholds; ++t) {
    std::vector<bool> taken(o.order.size(), false);
    for (size_t d = 0; d < g.found.size(); ++d) {
      const int64_t k = partner(candidates[d], overlap_threshold(t), taken);
      bool ignored = k < 0 && !in_range(g.found[d]->area, range);
      if (k >= 0) {
        taken[static_cast<size_t>(k)] = true;
        ignored = o.ignored[static_cast<size_t>(k)];
        bits[d] |= int64_t{1} << t;
      }
      if (ignored) bits[d] |= int64_t{1} << (kThresholds + t);
    }
  }
  return bits;
}

Overlaps overlaps_of(const Group& g, bool keypoints) {
  Overlaps all;
  for (const FoundObject* f : g.found) {
    std::vector<double> row;
    for (const TrueObject* t : g.truth) {
      row.push_back(keypoints ? keypoint_similarity(f->keypoints, *t)
                              : box_overlap(f->box, t->box, t->crowd));
    }
    all.push_back(std::move(row));
  }
  return all;
}

}  // namespace

std::span<const AreaRange> area_ranges(bool keypoints) {
  constexpr double kAll = 1e10;
  static constexpr std::array<AreaRange, 4> kBoxes = {
      {{"all", 0, kAll}, {"small", 0, 1024}, {"medium", 1024, 9216}, {"large", 9216, kAll}}};
  static constexpr std::array<AreaRange, 3> kPoints = {
      {{"all", 0, kAll}, {"medium", 1024, 9216}, {"large", 9216, kAll}}};
  return keypoints ? std::span<const AreaRange>(kPoints) : std::span<const AreaRange>(kBoxes);
}

Row detect_row(std::span<const TrueObject> truth, std::vector<FoundObject> found, bool keypoints) {
  std::ranges::stable_sort(found, std::ranges::greater{}, &FoundObject::score);
  std::map<int64_t, Group> groups;
  for (const TrueObject& t : truth) groups[t.category].truth.push_back(&t);
  for (const FoundObject& f : found) {
    Group& g = groups[f.category];
    if (g.found.size() < most_objects(keypoints)) g.found.push_back(&f);
  }
  Row objects, counts;
  int64_t object_count = 0, group_count = 0;
  for (const auto& [category, g] : groups) {
    const Overlaps overlaps = overlaps_of(g, keypoints);
    std::vector<std::vector<int64_t>> bits;
    if (!g.truth.empty()) {
      counts.push_back(category);
      ++group_count;
    }
    for (const AreaRange& range : area_ranges(keypoints)) {
      bits.push_back(matches(g, overlaps, range, keypoints));
      if (g.truth.empty()) continue;
      const Ordered o = ordered_truth(g, range, keypoints);
      counts.push_back(std::ranges::count(o.ignored, false));
    }
    for (size_t d = 0; d < g.found.size(); ++d) {
      objects.push_back(category);
      objects.push_back(bits_of(g.found[d]->score));
      for (const auto& of_area : bits) objects.push_back(of_area[d]);
      ++object_count;
    }
  }
  Row row = {object_count, group_count};
  row.insert(row.end(), objects.begin(), objects.end());
  row.insert(row.end(), counts.begin(), counts.end());
  return row;
}

bool is_detect_row(const Row& r, bool keypoints) {
  const auto areas = static_cast<int64_t>(area_ranges(keypoints).size());
  constexpr int64_t kMost = 1 << 20;
  if (r.size() < 2 || r[0] < 0 || r[1] < 0 || r[0] > kMost || r[1] > kMost) return false;
  const int64_t objects = 2 + r[0] * (2 + areas);
  if (static_cast<int64_t>(r.size()) != objects + r[1] * (1 + areas)) return false;
  for (int64_t i = 2; i < objects; i += 2 + areas) {
    const auto at = static_cast<size_t>(i);
    if (r[at] < 0 || !std::isfinite(real_of(r[at + 1]))) return false;
    for (size_t a = 0; a < static_cast<size_t>(areas); ++a) {
      if (r[at + 2 + a] < 0 || r[at + 2 + a] >= int64_t{1} << (2 * kThresholds)) return false;
    }
  }
  return std::all_of(r.begin() + objects, r.end(), [](int64_t v) { return v >= 0 && v <= kMost; });
}

Agreed agreed_boxes(std::span<const FoundObject> a, std::span<const FoundObject> b) {
  std::vector<bool> taken(b.size(), false);
  Agreed agreed;
  for (const FoundObject& x : a) {
    double best = 0.5;
    size_t match = b.size();
    for (size_t i = 0; i < b.size(); ++i) {
      if (taken[i] || b[i].category != x.category) continue;
      const double overlap = box_overlap(x.box, b[i].box);
      if (overlap >= best && (overlap > best || match == b.size())) best = overlap, match = i;
    }
    if (match == b.size()) continue;
    taken[match] = true;
    ++agreed.same;
  }
  agreed.of = static_cast<int64_t>(a.size() + b.size()) - agreed.same;
  return agreed;
}

}  // namespace edgetwin::evaluation
