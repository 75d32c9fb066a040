#include "train/optim/schedule.h"

#include <algorithm>
#include <array>

#include "train/math/functions.h"

namespace edgetwin::train {
namespace {

struct Row {
  SchedulerKind kind;
  std::string_view name;
};

constexpr auto kRows = std::to_array<Row>({
#define SCHEDULER(name, class_name) {SchedulerKind::name, class_name},
#include "train/optim/schedulers.def"
#undef SCHEDULER
});

constexpr double kPi = 3.14159265358979323846;

double passed_gammas(const Scheduler& s, int steps) {
  double product = 1;
  for (size_t i = 0; i < s.milestones.size(); ++i) {
    if (s.milestones[i] > steps) continue;
    product *= s.kind == SchedulerKind::multi_gamma ? s.gammas[i] : s.gamma;
  }
  return product;
}

double repeated(double gamma, int times) {
  double product = 1;
  for (int i = 0; i < times; ++i) product *= gamma;
  return product;
}

// Times that the watched number did not improve for longer than the patience.
int reductions(const Scheduler& s, const std::vector<double>& losses) {
  int count = 0;
  int bad = 0;
  std::optional<double> best;
  for (const double loss : losses) {
    const double limit = best ? *best * (s.largest ? 1 + s.threshold : 1 - s.threshold) : 0;
    if (!best || (s.largest ? loss > limit : loss < limit)) {
      best = loss;
      bad = 0;
    } else if (++bad > s.patience) {
      ++count;
      bad = 0;
    }
  }
  return count;
}

}  // namespace

std::string_view class_name(SchedulerKind kind) { return kRows[static_cast<size_t>(kind)].name; }

std::optional<SchedulerKind> scheduler_kind(std::string_view class_name) {
  for (const Row& row : kRows) {
    if (row.name == class_name) return row.kind;
  }
  return std::nullopt;
}

int SchedulePolicy::steps_before(int epoch) const {
  int steps = 0;
  for (int e = 0; e < epoch; ++e) {
    const bool in_range =
        e >= starting_epoch && e < ending_epoch && (e - starting_epoch) % frequency == 0;
    const bool listed = std::find(epochs.begin(), epochs.end(), e) != epochs.end();
    if (epochs.empty() ? in_range : listed) ++steps;
  }
  return steps;
}

double rate_after(const Scheduler& s, double base, int steps, const std::vector<double>& losses) {
  switch (s.kind) {
    case SchedulerKind::multi_step:
    case SchedulerKind::multi_gamma:
      return base * passed_gammas(s, steps);
    case SchedulerKind::step:
      return base * repeated(s.gamma, steps / s.step_size);
    case SchedulerKind::exponential:
      return base * repeated(s.gamma, steps);
    case SchedulerKind::cosine:
      return s.eta_min + (base - s.eta_min) * (1 + cosine(kPi * steps / s.t_max)) / 2;
    case SchedulerKind::polynomial:
      return base * power(1 - static_cast<double>(std::min(steps, s.t_max)) / s.t_max, s.exponent);
    case SchedulerKind::plateau:
      return base * repeated(s.factor, reductions(s, losses));
  }
  return base;
}

}  // namespace edgetwin::train
