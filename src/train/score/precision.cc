#include "train/score/precision.h"

#include <algorithm>

namespace edgetwin::train {
namespace {

constexpr int kOverlaps = 10, kRecalls = 101;

double overlap_threshold(int t) { return 0.5 + 0.05 * t; }

struct Judgement {
  double score = 0;
  bool right = false;
};

// Each detection, the best first, takes the free object that it overlaps most.
void judge_picture(const std::vector<Detection>& found, const Objects& objects, int64_t label,
                   double threshold, std::vector<Judgement>& all) {
  std::vector<bool> taken(objects.boxes.size());
  for (const Detection& d : found) {
    if (d.label != label) continue;
    double best = threshold;
    size_t object = taken.size();
    for (size_t o = 0; o < taken.size(); ++o) {
      if (taken[o] || objects.labels[o] != label) continue;
      const double overlap = overlap_of(d.box, objects.boxes[o]);
      if (overlap < best || (object < taken.size() && overlap == best)) continue;
      best = overlap;
      object = o;
    }
    all.push_back({d.score, object < taken.size()});
    if (object < taken.size()) taken[object] = true;
  }
}

// The mean over 101 recalls of the best precision at that recall or beyond.
double area_of(std::vector<Judgement> all, int64_t objects) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Judgement& a, const Judgement& b) { return a.score > b.score; });
  std::vector<double> precision, recall;
  int64_t right = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    right += all[i].right ? 1 : 0;
    precision.push_back(static_cast<double>(right) / static_cast<double>(i + 1));
    recall.push_back(static_cast<double>(right) / static_cast<double>(objects));
  }
  for (size_t i = precision.size(); i-- > 1;) {
    precision[i - 1] = std::max(precision[i - 1], precision[i]);
  }
  double sum = 0;
  for (int r = 0; r < kRecalls; ++r) {
    const auto at = std::lower_bound(recall.begin(), recall.end(), r / 100.0);
    if (at != recall.end()) sum += precision[static_cast<size_t>(at - recall.begin())];
  }
  return 100.0 * sum / kRecalls;
}

}  // namespace

void PrecisionCounter::see(const std::vector<Detection>& found, const Objects& objects) {
  pictures_.push_back({found, objects});
}

std::vector<AveragePrecision> PrecisionCounter::result() const {
  std::vector<AveragePrecision> result(static_cast<size_t>(classes_));
  for (int c = 0; c < classes_; ++c) {
    AveragePrecision& own = result[static_cast<size_t>(c)];
    const int64_t label = c + 1;
    for (const Picture& p : pictures_) {
      own.objects += std::count(p.objects.labels.begin(), p.objects.labels.end(), label);
      own.found += std::count_if(p.found.begin(), p.found.end(),
                                 [&](const Detection& d) { return d.label == label; });
    }
    if (own.objects == 0) continue;
    for (int t = 0; t < kOverlaps; ++t) {
      std::vector<Judgement> all;
      for (const Picture& p : pictures_) {
        judge_picture(p.found, p.objects, label, overlap_threshold(t), all);
      }
      const double area = area_of(std::move(all), own.objects);
      own.mean += area / kOverlaps;
      if (t == 0) own.half = area;
    }
  }
  return result;
}

MeanPrecision mean_precision(const std::vector<AveragePrecision>& classes) {
  MeanPrecision sum;
  int present = 0;
  for (const AveragePrecision& c : classes) {
    if (c.objects == 0) continue;
    sum.mean += c.mean;
    sum.half += c.half;
    ++present;
  }
  if (present == 0) return {};
  return {sum.mean / present, sum.half / present};
}

}  // namespace edgetwin::train
