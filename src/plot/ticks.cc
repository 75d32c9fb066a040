#include "plot/ticks.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace edgetwin::plot {
namespace {

constexpr double kFixedLimit = 1e7;  // larger numbers and smaller steps get an exponent
constexpr double kSmallestStep = 1e-6;

// 10^exponent by repeated multiplication: the same on every machine.
double power_of_ten(int exponent) {
  double value = 1.0;
  for (int i = 0; i < std::abs(exponent); ++i) value *= 10.0;
  return exponent < 0 ? 1.0 / value : value;
}

Range usable(Range r) {
  if (!std::isfinite(r.low) || !std::isfinite(r.high)) return {0.0, 1.0};
  if (r.low > r.high) std::swap(r.low, r.high);
  const double least = std::max(std::abs(r.low), std::abs(r.high)) * 1e-12;
  if (r.size() > least) return r;
  const double margin = r.low == 0.0 ? 1.0 : std::abs(r.low) * 0.1;
  return {r.low - margin, r.high + margin};
}

struct Step {
  double size;
  int decimals;  // digits after the point that show it
};

Step nice_step(double rough) {
  const int exponent = static_cast<int>(std::floor(std::log10(rough)));
  for (int e = exponent; e <= exponent + 1; ++e) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      const double step = digit * power_of_ten(e);
      if (step >= rough * 0.999) return {step, std::max(0, -e)};
    }
  }
  return {power_of_ten(exponent + 2), std::max(0, -exponent - 2)};
}

std::string label(double value, const Step& step, double largest) {
  char text[64];
  if (std::abs(value) < step.size * 1e-6) value = 0.0;
  const bool scientific = largest >= kFixedLimit || step.size < kSmallestStep;
  const auto end =
      scientific ? std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 4)
                 : std::to_chars(text, text + sizeof(text), value, std::chars_format::fixed,
                                 step.decimals);
  return std::string(text, end.ptr);
}

}  // namespace

Ticks make_ticks(Range range, int wanted, bool widen) {
  Ticks ticks;
  ticks.range = usable(range);
  const Step step = nice_step(ticks.range.size() / std::max(1, wanted));
  ticks.step = step.size;
  if (widen) {
    ticks.range.low = std::floor(ticks.range.low / step.size + 1e-9) * step.size;
    ticks.range.high = std::ceil(ticks.range.high / step.size - 1e-9) * step.size;
  }
  // An end that misses a tick by next to nothing (7.9998) goes there, so that the axis shows it.
  const double near = ticks.range.size() * 2e-3;
  const double below = std::floor(ticks.range.low / step.size) * step.size;
  const double above = std::ceil(ticks.range.high / step.size) * step.size;
  if (ticks.range.low - below < near) ticks.range.low = below;
  if (above - ticks.range.high < near) ticks.range.high = above;
  const double largest = std::max(std::abs(ticks.range.low), std::abs(ticks.range.high));
  const double first = std::ceil(ticks.range.low / step.size - 1e-9);
  const double last = std::floor(ticks.range.high / step.size + 1e-9);
  for (double k = first; k <= last && ticks.values.size() < 100; k += 1.0) {
    ticks.values.push_back(k * step.size);
    ticks.labels.push_back(label(k * step.size, step, largest));
  }
  return ticks;
}

}  // namespace edgetwin::plot
