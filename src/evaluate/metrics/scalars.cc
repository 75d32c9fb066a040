// Numbers and scores: mean errors, area under the curve.
#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluate/metrics/parts_of_metrics.h"

namespace edgetwin::evaluation {
namespace {

std::string short_number(double v) {
  std::string text = std::to_string(v);
  return text;
}

// Pairs of an anomalous and a normal sample of which the anomalous one has the larger score; an
// equal one is half a pair. Mann and Whitney's U, doubled, so that it is an integer.
struct Pairs {
  int64_t twice_right = 0, all = 0;
};

Pairs pairs_of(const std::vector<std::pair<double, size_t>>& sorted, const Rows& rows,
               const Weights& w) {
  Pairs p;
  int64_t normal = 0, anomalous = 0;
  for (size_t i = 0; i < sorted.size();) {
    int64_t equal_normal = 0, equal_anomalous = 0;
    size_t j = i;
    for (; j < sorted.size() && sorted[j].first == sorted[i].first; ++j) {
      const size_t s = sorted[j].second;
      ((*rows[s])[0] == 1 ? equal_anomalous : equal_normal) += static_cast<int64_t>(w[s]);
    }
    p.twice_right += equal_anomalous * (2 * normal + equal_normal);
    normal += equal_normal;
    anomalous += equal_anomalous;
    i = j;
  }
  p.all = normal * anomalous;
  return p;
}

}  // namespace

Row regress_row(std::span<const double> found, std::span<const double> truth) {
  Row row = {static_cast<int64_t>(found.size())};
  for (size_t i = 0; i < found.size(); ++i) {
    row.push_back(bits_of(found[i]));
    row.push_back(bits_of(truth[i]));
  }
  return row;
}

bool is_regress_row(const Row& r) {
  if (r.empty() || r[0] < 1 || r[0] > int64_t{1} << 20) return false;
  return r.size() == 1 + 2 * static_cast<size_t>(r[0]) &&
         std::all_of(r.begin() + 1, r.end(), [](int64_t v) { return std::isfinite(real_of(v)); });
}

double regress_badness(const Row& r) {
  double sum = 0.0;
  for (size_t at = 1; at < r.size(); at += 2) sum += std::abs(real_of(r[at]) - real_of(r[at + 1]));
  return sum / static_cast<double>(r[0]);
}

std::string regress_verdict(const Row& r) {
  return short_number(real_of(r[1])) + " instead of " + short_number(real_of(r[2])) +
         (r[0] > 1 ? " and " + std::to_string(r[0] - 1) + " more numbers" : "");
}

Json regress_metrics(const Rows& rows) {
  std::vector<double> absolute;
  size_t outputs = 0;
  for (const Row* r : rows) {
    absolute.push_back(regress_badness(*r));
    outputs = std::max(outputs, static_cast<size_t>((*r)[0]));
  }
  const auto squares = [](const Row& r) {
    double sum = 0.0;
    for (size_t at = 1; at < r.size(); at += 2) {
      const double d = real_of(r[at]) - real_of(r[at + 1]);
      sum += d * d;
    }
    return sum / static_cast<double>(r[0]);
  };
  const auto rmse = resampled(rows.size(), [&](const Weights& w) {
    double sum = 0.0;
    for (size_t i = 0; i < rows.size(); ++i) sum += squares(*rows[i]) * w[i];
    return std::vector<double>{std::sqrt(sum / static_cast<double>(rows.size()))};
  });
  Json j = Json::object();
  j.set("MAE", to_json(mean_of(absolute))).set("RMSE", to_json(rmse[0]));
  return j.set("outputs", outputs);
}

Row anomaly_row(int64_t label, double score) { return {label, bits_of(score)}; }

bool is_anomaly_row(const Row& r) {
  return r.size() == 2 && (r[0] == 0 || r[0] == 1) && std::isfinite(real_of(r[1]));
}

// The highest scores of normal samples and the lowest of anomalous ones are the worst.
double anomaly_badness(const Row& r) { return r[0] == 0 ? real_of(r[1]) : -real_of(r[1]); }

std::string anomaly_verdict(const Row& r) {
  return std::string(r[0] == 0 ? "normal" : "anomalous") + ", score " + short_number(real_of(r[1]));
}

Json anomaly_metrics(const Rows& rows) {
  std::vector<std::pair<double, size_t>> sorted;
  int64_t anomalous = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    sorted.emplace_back(real_of((*rows[i])[1]), i);
    anomalous += (*rows[i])[0];
  }
  std::ranges::sort(sorted);
  const auto auc = resampled(rows.size(), [&](const Weights& w) {
    const Pairs p = pairs_of(sorted, rows, w);
    return std::vector<double>{p.all == 0 ? std::numeric_limits<double>::quiet_NaN()
                                          : static_cast<double>(p.twice_right) /
                                                (2.0 * static_cast<double>(p.all))};
  });
  const Pairs p = pairs_of(sorted, rows, Weights(rows.size(), 1));
  Json j = Json::object();
  j.set("AUC", to_json(auc[0])).set("twice_right_pairs", p.twice_right).set("pairs", p.all);
  return j.set("normal", static_cast<int64_t>(rows.size()) - anomalous).set("anomalous", anomalous);
}

}  // namespace edgetwin::evaluation
