#include "estimate/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/format.h"

namespace edgetwin::estimates {

double rounded(double value, int digits) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  char text[40];
  std::snprintf(text, sizeof(text), "%.*e", digits - 1, value);
  return std::strtod(text, nullptr);
}

std::string number_text(double value) {
  const double r = rounded(value);
  if (!std::isfinite(r)) return "?";
  if (std::fabs(r) >= 1000.0) return report::count_text(static_cast<int64_t>(std::llround(r)));
  if (r == 0.0) return "0";
  const int before = static_cast<int>(std::floor(std::log10(std::fabs(r)))) + 1;
  std::string text = report::fixed_text(r, std::max(0, 3 - before));
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

namespace {

struct TimeUnit {
  double ms;
  const char* name;
};

TimeUnit unit_of(double ms) {
  const double r = std::fabs(rounded(ms));
  if (r >= 1000.0) return {1000.0, " s"};
  return r >= 1.0 || r == 0.0 ? TimeUnit{1.0, " ms"} : TimeUnit{0.001, " µs"};
}

}  // namespace

std::string ms_text(double ms) {
  const TimeUnit unit = unit_of(ms);
  return number_text(ms / unit.ms) + unit.name;
}

std::string ms_range_text(const EstimateRange& r) {
  const TimeUnit unit = unit_of(r.mid);
  return number_text(r.mid / unit.ms) + unit.name + " (" + number_text(r.low / unit.ms) + " to " +
         number_text(r.high / unit.ms) + ")";
}

EstimateRange range_of(double mid, double low, double high) { return {mid * low, mid, mid * high}; }

EstimateRange sum(const EstimateRange& a, const EstimateRange& b) {
  return {a.low + b.low, a.mid + b.mid, a.high + b.high};
}

EstimateRange scaled(const EstimateRange& a, double factor) {
  return {a.low * factor, a.mid * factor, a.high * factor};
}

EstimateRange larger(const EstimateRange& a, const EstimateRange& b) {
  return {std::max(a.low, b.low), std::max(a.mid, b.mid), std::max(a.high, b.high)};
}

}  // namespace edgetwin::estimates
