// Classes of pixels: intersection over union, as PASCAL VOC counts it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "evaluate/metrics/parts_of_metrics.h"

namespace edgetwin::evaluation {
namespace {

constexpr uint8_t kNotJudged = 255;
constexpr size_t kClasses = 256;

struct Table {
  std::vector<int64_t> both, truth, found;  // pixels of each class
  Table() : both(kClasses), truth(kClasses), found(kClasses) {}
  void add(const Row& r, int64_t weight) {
    for (size_t at = 1; at < r.size(); at += 3) {
      const int64_t n = r[at + 2] * weight;
      truth[static_cast<size_t>(r[at])] += n;
      found[static_cast<size_t>(r[at + 1])] += n;
      if (r[at] == r[at + 1]) both[static_cast<size_t>(r[at])] += n;
    }
  }
  int64_t either(size_t c) const { return truth[c] + found[c] - both[c]; }
  double overlap(size_t c) const {
    return static_cast<double>(both[c]) / static_cast<double>(either(c));
  }
};

// The mean over classes that are in the truth or were found; and the share of right pixels.
std::vector<double> numbers_of(const Table& t) {
  double sum = 0.0;
  int64_t classes = 0, right = 0, all = 0;
  for (size_t c = 0; c < kClasses; ++c) {
    right += t.both[c];
    all += t.truth[c];
    if (t.either(c) == 0) continue;
    sum += t.overlap(c);
    ++classes;
  }
  if (all == 0)
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return {sum / static_cast<double>(classes),
          static_cast<double>(right) / static_cast<double>(all)};
}

}  // namespace

Row segment_row(std::span<const uint8_t> found, std::span<const uint8_t> truth) {
  std::map<std::pair<uint8_t, uint8_t>, int64_t> counts;
  std::vector<int64_t> table(kClasses * kClasses, 0);
  for (size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] != kNotJudged) ++table[size_t{truth[i]} * kClasses + found[i]];
  }
  Row row = {0};
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i] == 0) continue;
    row.push_back(static_cast<int64_t>(i / kClasses));
    row.push_back(static_cast<int64_t>(i % kClasses));
    row.push_back(table[i]);
    ++row[0];
  }
  return row;
}

bool is_segment_row(const Row& r) {
  if (r.empty() || r[0] < 0 || r[0] > int64_t{1} << 16) return false;
  if (r.size() != 1 + 3 * static_cast<size_t>(r[0])) return false;
  for (size_t at = 1; at < r.size(); at += 3) {
    if (r[at] < 0 || r[at] >= kNotJudged || r[at + 1] < 0 || r[at + 1] > kNotJudged) return false;
    if (r[at + 2] < 1 || r[at + 2] > int64_t{1} << 32) return false;
  }
  return true;
}

double segment_badness(const Row& r) {
  int64_t wrong = 0, all = 0;
  for (size_t at = 1; at < r.size(); at += 3) {
    all += r[at + 2];
    if (r[at] != r[at + 1]) wrong += r[at + 2];
  }
  return all == 0 ? 0.0 : static_cast<double>(wrong) / static_cast<double>(all);
}

std::string segment_verdict(const Row& r) {
  const double percent = 100.0 * segment_badness(r);
  return std::to_string(std::llrint(percent)) + " % of the pixels are of another class";
}

Json segment_metrics(const Rows& rows, std::span<const std::string> classes) {
  Table t;
  for (const Row* r : rows) t.add(*r, 1);
  // The means, then the overlap of each class.
  const auto figures = resampled(rows.size(), [&](const Weights& w) {
    Table drawn;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (w[i] > 0) drawn.add(*rows[i], w[i]);
    }
    std::vector<double> numbers = numbers_of(drawn);
    for (size_t c = 0; c < kClasses; ++c) numbers.push_back(drawn.overlap(c));
    return numbers;
  });
  Json j = Json::object();
  j.set("mIoU", to_json(figures[0])).set("pixels_right", to_json(figures[1]));
  Json list = Json::array();
  for (size_t c = 0; c < kClasses; ++c) {
    if (t.either(c) == 0) continue;
    Json one = Json::object();
    one.set("class", static_cast<int64_t>(c));
    if (c < classes.size()) one.set("name", classes[c]);
    const Figure& overlap = figures[2 + c];
    one.set("IoU", t.overlap(c)).set("low", overlap.low).set("high", overlap.high);
    one.set("both", t.both[c]).set("either", t.either(c));
    list.push(std::move(one));
  }
  return j.set("classes", std::move(list));
}

}  // namespace edgetwin::evaluation
