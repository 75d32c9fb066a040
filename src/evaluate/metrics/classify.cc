// Classes: top-1, top-5, confusion, precision and recall per class, calibration.
#include <algorithm>
#include <cmath>
#include <map>

#include "evaluate/metrics/parts_of_metrics.h"

namespace edgetwin::evaluation {
namespace {

constexpr size_t kHead = 4;
constexpr int kBins = 15;  // of Guo et al. 2017, "On Calibration of Modern Neural Networks"

struct Counts {
  int64_t label = 0, predicted = 0, right = 0;
};

std::string class_name(std::span<const std::string> classes, int64_t index) {
  return static_cast<size_t>(index) < classes.size() ? classes[static_cast<size_t>(index)] : "";
}

// What calibration takes of a sample; 200 resamples read it again and again.
struct Trust {
  int64_t confidence = 0;
  uint32_t bin = 0, right = 0;
};

std::vector<Trust> trusts_of(const Rows& rows) {
  std::vector<Trust> all;
  all.reserve(rows.size());
  for (const Row* r : rows) {
    // Bin b holds confidences above b/15, up to (b+1)/15.
    const __int128 scaled = static_cast<__int128>((*r)[2]) * kBins - 1;
    const auto bin =
        std::clamp<int64_t>(static_cast<int64_t>(scaled >> kConfidenceBits), 0, kBins - 1);
    all.push_back({(*r)[2], static_cast<uint32_t>(bin), (*r)[1] == 0 ? 1U : 0U});
  }
  return all;
}

// Expected calibration error: |right - confidence| over bins of confidence, by their samples.
double calibration(const std::vector<Trust>& trusts, const Weights& weights) {
  std::array<int64_t, kBins> right{};
  std::array<__int128, kBins> confidence{};
  int64_t all = 0;
  for (size_t i = 0; i < trusts.size(); ++i) {
    const auto w = static_cast<int64_t>(weights[i]);
    if (w == 0) continue;
    const Trust& t = trusts[i];
    right[t.bin] += static_cast<int64_t>(t.right) * w;
    confidence[t.bin] += static_cast<__int128>(t.confidence) * w;
    all += w;
  }
  double sum = 0.0;
  for (size_t b = 0; b < kBins; ++b) {
    const double trust = std::ldexp(static_cast<double>(confidence[b]), -kConfidenceBits);
    sum += std::abs(static_cast<double>(right[b]) - trust);
  }
  return sum / static_cast<double>(all);
}

Json classes_json(const std::map<int64_t, Counts>& counts, std::span<const std::string> names) {
  Json list = Json::array();
  for (const auto& [index, c] : counts) {
    Json j = Json::object();
    j.set("class", index);
    const std::string name = class_name(names, index);
    if (!name.empty()) j.set("name", name);
    j.set("precision", share_json(c.right, c.predicted));
    j.set("recall", share_json(c.right, c.label));
    list.push(std::move(j));
  }
  return list;
}

}  // namespace

Row classify_row(int64_t label, std::span<const double> scores, bool shares) {
  const auto at = [&scores](int64_t i) { return scores[static_cast<size_t>(i)]; };
  // The best ones in order. An equal score that comes later stays behind: ties by lower index.
  std::array<int64_t, kBest> order{};
  size_t best = 0;
  for (int64_t i = 0; i < static_cast<int64_t>(scores.size()); ++i) {
    if (best == kBest && !(at(i) > at(order[kBest - 1]))) continue;
    size_t place = best < kBest ? best++ : kBest - 1;
    for (; place > 0 && at(i) > at(order[place - 1]); --place) order[place] = order[place - 1];
    order[place] = i;
  }
  const double own = at(label);
  int64_t rank = 0;
  for (size_t i = 0; i < scores.size(); ++i) rank += scores[i] > own ? 1 : 0;
  for (int64_t i = 0; i < label; ++i) rank += at(i) == own ? 1 : 0;
  const double top = at(order[0]);
  const auto confidence =
      static_cast<int64_t>(std::llrint(std::ldexp(std::clamp(top, 0.0, 1.0), kConfidenceBits)));
  Row row = {label, rank, shares ? confidence : -1, static_cast<int64_t>(best)};
  row.insert(row.end(), order.begin(), order.begin() + static_cast<int64_t>(best));
  return row;
}

bool is_classify_row(const Row& r) {
  return r.size() > kHead && r[0] >= 0 && r[1] >= 0 && r[2] >= -1 &&
         r[2] <= int64_t{1} << kConfidenceBits && r[3] >= 1 &&
         r[3] <= static_cast<int64_t>(kBest) && r.size() == kHead + static_cast<size_t>(r[3]) &&
         std::all_of(r.begin() + kHead, r.end(), [](int64_t v) { return v >= 0; }) &&
         (r[1] == 0) == (r[kHead] == r[0]);
}

double classify_badness(const Row& r) {
  if (r[1] == 0) return 0.0;
  return static_cast<double>(std::max<int64_t>(r[2], 0) + 1);
}

std::string classify_verdict(const Row& r, std::span<const std::string> classes) {
  const auto text = [&](int64_t index) {
    const std::string name = class_name(classes, index);
    return std::to_string(index) + (name.empty() ? "" : " '" + name + "'");
  };
  std::string line = text(r[kHead]) + " instead of " + text(r[0]);
  if (r[2] >= 0) {
    const double percent = 100.0 * std::ldexp(static_cast<double>(r[2]), -kConfidenceBits);
    line += ", confidence " + std::to_string(std::llrint(percent)) + " %";
  }
  return line + ", the label is at place " + std::to_string(r[1] + 1);
}

Json classify_metrics(const Rows& rows, std::span<const std::string> classes) {
  const auto count = static_cast<int64_t>(rows.size());
  int64_t top1 = 0, top5 = 0;
  bool shares = true;
  std::map<int64_t, Counts> counts;
  std::map<std::pair<int64_t, int64_t>, int64_t> confusion;
  for (const Row* r : rows) {
    const int64_t label = (*r)[0], predicted = (*r)[kHead];
    top1 += (*r)[1] == 0;
    top5 += (*r)[1] < static_cast<int64_t>(kBest);
    shares = shares && (*r)[2] >= 0;
    ++counts[label].label;
    ++counts[predicted].predicted;
    if (label == predicted) ++counts[label].right;
    ++confusion[{label, predicted}];
  }
  Json j = Json::object();
  j.set("top1", share_json(top1, count)).set("top5", share_json(top5, count));
  if (shares && count > 0) {
    const std::vector<Trust> trusts = trusts_of(rows);
    const auto ece = resampled(
        rows.size(), [&](const Weights& w) { return std::vector<double>{calibration(trusts, w)}; });
    j.set("calibration_error", to_json(ece[0]));
  }
  j.set("classes", classes_json(counts, classes));
  Json table = Json::array();
  for (const auto& [place, n] : confusion) {
    table.push(Json::list(std::vector<int64_t>{place.first, place.second, n}));
  }
  return j.set("confusion", std::move(table));
}

}  // namespace edgetwin::evaluation
