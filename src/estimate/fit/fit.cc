#include "estimate/fit/fit.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace edgetwin::estimates {
namespace {

constexpr int kSweeps = 20'000;

// Least squares of factors that are not negative, by coordinates: A is symmetric with a ridge.
class Solver {
 public:
  explicit Solver(size_t n) : n_(n), a_(n * n, 0.0), b_(n, 0.0) {}

  void add(const std::vector<double>& x, double y, double weight) {
    for (size_t i = 0; i < n_; ++i) {
      b_[i] += weight * x[i] * y;
      for (size_t j = 0; j < n_; ++j) a_[i * n_ + j] += weight * x[i] * x[j];
    }
  }
  void add_ridge(double ridge) {
    for (size_t i = 0; i < n_; ++i) {
      a_[i * n_ + i] += ridge;
      b_[i] += ridge;
    }
  }
  std::vector<double> solve() const {
    std::vector<double> f(n_, 1.0);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      double moved = 0.0;
      for (size_t i = 0; i < n_; ++i) {
        double rest = b_[i];
        for (size_t j = 0; j < n_; ++j) rest -= j == i ? 0.0 : a_[i * n_ + j] * f[j];
        const double next = a_[i * n_ + i] > 0.0 ? std::max(0.0, rest / a_[i * n_ + i]) : 1.0;
        moved = std::max(moved, std::fabs(next - f[i]));
        f[i] = next;
      }
      if (moved < 1e-12) break;
    }
    return f;
  }

 private:
  size_t n_;
  std::vector<double> a_, b_;
};

double value_of(const FitRow& row, const std::vector<double>& numbers) {
  double sum = row.fixed;
  for (size_t i = 0; i < numbers.size(); ++i) sum += row.features[i] * numbers[i];
  return sum;
}

std::vector<double> numbers_of(const std::vector<FitRow>& rows,
                               const std::vector<double>& plausible, double ridge,
                               const std::string* without) {
  std::map<std::string, double> members;
  for (const FitRow& r : rows) members[r.family] += 1.0;
  Solver solver(plausible.size());
  for (const FitRow& r : rows) {
    if (without != nullptr && r.family == *without) continue;
    std::vector<double> x;
    for (size_t i = 0; i < plausible.size(); ++i) {
      x.push_back(r.features[i] * plausible[i] / r.published);
    }
    solver.add(x, 1.0 - r.fixed / r.published, 1.0 / members[r.family]);
  }
  solver.add_ridge(ridge);
  std::vector<double> numbers = solver.solve();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] *= plausible[i];
  return numbers;
}

}  // namespace

FitResult fit(const std::vector<FitRow>& rows, const std::vector<double>& plausible, double ridge) {
  FitResult result;
  result.numbers = numbers_of(rows, plausible, ridge, nullptr);
  for (const FitRow& r : rows) {
    result.residual.push_back(value_of(r, result.numbers) / r.published - 1.0);
    const auto without = numbers_of(rows, plausible, ridge, &r.family);
    result.left_out.push_back(value_of(r, without) / r.published - 1.0);
  }
  return result;
}

double median_of_absolutes(const std::vector<double>& values) {
  if (values.empty()) return 0.0;
  std::vector<double> sorted;
  for (const double v : values) sorted.push_back(std::fabs(v));
  std::sort(sorted.begin(), sorted.end());
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

double largest_absolute(const std::vector<double>& values) {
  double most = 0.0;
  for (const double v : values) most = std::max(most, std::fabs(v));
  return most;
}

}  // namespace edgetwin::estimates
