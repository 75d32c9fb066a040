#include "train/score/precision.h"

#include <algorithm>

#include "evaluate/precision/precision.h"

namespace edgetwin::train {
namespace {

struct Judgement {
  double score = 0;
  bool right = false;
};

// Each detection, the best first, takes an object.
void judge_picture(const std::vector<Detection>& found, const Objects& objects, int64_t label,
                   double threshold, std::vector<Judgement>& all) {
  std::vector<Box> own;
  for (size_t o = 0; o < objects.boxes.size(); ++o) {
    if (objects.labels[o] == label) own.push_back(objects.boxes[o]);
  }
  std::vector<bool> taken(own.size());
  for (const Detection& d : found) {
    if (d.label != label) continue;
    std::vector<evaluation::Candidate> candidates;
    for (const Box& box : own) candidates.push_back({.overlap = overlap_of(d.box, box)});
    const int64_t object = evaluation::partner(candidates, threshold, taken);
    all.push_back({d.score, object >= 0});
    if (object >= 0) taken[static_cast<size_t>(object)] = true;
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
  return 100.0 * evaluation::precision_sum(recall, precision) / double{evaluation::kRecalls};
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
    for (size_t t = 0; t < evaluation::kThresholds; ++t) {
      std::vector<Judgement> all;
      for (const Picture& p : pictures_) {
        judge_picture(p.found, p.objects, label, evaluation::overlap_threshold(t), all);
      }
      const double area = area_of(std::move(all), own.objects);
      own.mean += area / double{evaluation::kThresholds};
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
