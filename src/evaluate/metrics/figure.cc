#include "evaluate/metrics/figure.h"

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace edgetwin::evaluation {
namespace {

constexpr double kNormal95 = 1.959963984540054;  // of the normal distribution, both sides

}  // namespace

Figure share(int64_t right, int64_t count) {
  Figure f;
  f.count = count;
  if (count == 0) return f;
  // Wilson 1927: the shares whose own standard error reaches the observed one.
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(right) / n;
  const double z2 = kNormal95 * kNormal95;
  const double centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const double half = kNormal95 / (1 + z2 / n) * std::sqrt(p * (1 - p) / n + z2 / (4 * n * n));
  f.known = true;
  f.value = p;
  f.low = right == 0 ? 0.0 : std::max(0.0, centre - half);
  f.high = right == count ? 1.0 : std::min(1.0, centre + half);
  return f;
}

Figure mean_of(std::span<const double> values) {
  Figure f;
  f.count = static_cast<int64_t>(values.size());
  if (values.empty()) return f;
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double v : values) sum += v;
  f.value = sum / n;
  double squares = 0.0;
  for (const double v : values) squares += (v - f.value) * (v - f.value);
  const double error = values.size() > 1 ? std::sqrt(squares / (n - 1) / n) : 0.0;
  f.known = true;
  f.low = f.value - kNormal95 * error;
  f.high = f.value + kNormal95 * error;
  return f;
}

std::vector<Figure> resampled(size_t samples,
                              const std::function<std::vector<double>(const Weights&)>& of) {
  const std::vector<double> whole = of(Weights(samples, 1));
  std::vector<Figure> figures(whole.size());
  std::vector<std::vector<double>> drawn(whole.size());
  XorShift32 random(1);
  for (int r = 0; r < kResamples && samples > 0; ++r) {
    Weights weights(samples, 0);
    for (size_t i = 0; i < samples; ++i) {
      const uint64_t wide = (uint64_t{random.next()} << 32) | random.next();
      ++weights[wide % samples];
    }
    const std::vector<double> values = of(weights);
    for (size_t k = 0; k < values.size(); ++k) {
      if (std::isfinite(values[k])) drawn[k].push_back(values[k]);
    }
  }
  for (size_t k = 0; k < whole.size(); ++k) {
    Figure& f = figures[k];
    f.count = static_cast<int64_t>(samples);
    f.known = std::isfinite(whole[k]);
    if (!f.known) continue;
    f.value = f.low = f.high = whole[k];
    if (drawn[k].empty()) continue;
    std::ranges::sort(drawn[k]);
    const auto last = static_cast<double>(drawn[k].size() - 1);
    f.low = drawn[k][static_cast<size_t>(std::floor(0.025 * last))];
    f.high = drawn[k][static_cast<size_t>(std::ceil(0.975 * last))];
  }
  return figures;
}

Json to_json(const Figure& f) {
  if (!f.known) return Json();
  Json j = Json::object();
  j.set("value", f.value).set("count", f.count).set("low", f.low).set("high", f.high);
  return j;
}

Json share_json(int64_t right, int64_t count) {
  const Figure f = share(right, count);
  Json j = Json::object();
  j.set("right", right).set("count", count);
  if (f.known) j.set("value", f.value).set("low", f.low).set("high", f.high);
  return j;
}

}  // namespace edgetwin::evaluation
