// Two networks on the same samples.
#include <algorithm>
#include <cmath>

#include "evaluate/metrics/parts_of_metrics.h"

namespace edgetwin::evaluation {
namespace {

// McNemar's test, exactly: of the samples that one network alone has right, how likely a split at
// least as uneven as this is if both were equally good. A binomial distribution, both sides.
double mcnemar(int64_t only_a, int64_t only_b) {
  const int64_t n = only_a + only_b;
  if (n == 0) return 1.0;
  const auto real = [](int64_t v) { return static_cast<double>(v); };
  double sum = 0.0;
  for (int64_t k = 0; k <= std::min(only_a, only_b); ++k) {
    const double ways =
        std::lgamma(real(n + 1)) - std::lgamma(real(k + 1)) - std::lgamma(real(n - k + 1));
    sum += std::exp(ways - real(n) * std::log(2.0));
  }
  return std::min(1.0, 2.0 * sum);
}

Json classify_pair(const Rows& a, const Rows& b) {
  int64_t same = 0, only_a = 0, only_b = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    same += (*a[i])[4] == (*b[i])[4];
    const bool right_a = (*a[i])[1] == 0, right_b = (*b[i])[1] == 0;
    only_a += right_a && !right_b;
    only_b += right_b && !right_a;
  }
  Json j = Json::object();
  j.set("same_top1", share_json(same, static_cast<int64_t>(a.size())));
  j.set("right_in_first_only", only_a).set("right_in_this_only", only_b);
  return j.set("mcnemar_p", mcnemar(only_a, only_b));
}

}  // namespace

Json pair_json(Task task, const Rows& a, const Rows& b, std::span<const Agreed> agreed) {
  if (task == Task::classify) return classify_pair(a, b);
  Json j = Json::object();
  if (task == Task::regress || task == Task::anomaly) {
    int64_t same = 0;
    for (size_t i = 0; i < a.size(); ++i) same += *a[i] == *b[i];
    return j.set("same_numbers", share_json(same, static_cast<int64_t>(a.size())));
  }
  // Objects and pixels of one sample belong together: samples are drawn, not they.
  Agreed sum;
  const auto figures = resampled(agreed.size(), [&](const Weights& w) {
    Agreed drawn;
    for (size_t i = 0; i < agreed.size(); ++i) {
      drawn.same += agreed[i].same * static_cast<int64_t>(w[i]);
      drawn.of += agreed[i].of * static_cast<int64_t>(w[i]);
    }
    return std::vector<double>{static_cast<double>(drawn.same) / static_cast<double>(drawn.of)};
  });
  for (const Agreed& one : agreed) {
    sum.same += one.same;
    sum.of += one.of;
  }
  Json figure = Json::object();
  figure.set("right", sum.same).set("count", sum.of);
  if (figures[0].known) {
    figure.set("value", figures[0].value).set("low", figures[0].low).set("high", figures[0].high);
  }
  return j.set(task == Task::segment ? "same_pixels" : "same_objects", std::move(figure));
}

}  // namespace edgetwin::evaluation
