#include "signals/spectrum/window.h"

#include <array>
#include <cmath>
#include <numbers>

namespace edgetwin::signals {
namespace {

struct WindowRow {
  std::string_view name;
  double a0, a1, a2;
};
constexpr std::array kWindows = {
#define WINDOW(name, a0, a1, a2) WindowRow{#name, a0, a1, a2},
#include "signals/spectrum/windows.def"
#undef WINDOW
};

}  // namespace

std::string_view name(Window window) { return kWindows[static_cast<size_t>(window)].name; }

std::optional<Window> window_by_name(std::string_view word) {
  for (size_t i = 0; i < kWindows.size(); ++i) {
    if (kWindows[i].name == word) return static_cast<Window>(i);
  }
  return std::nullopt;
}

std::vector<std::string> window_names() {
  std::vector<std::string> names;
  for (const WindowRow& row : kWindows) names.emplace_back(row.name);
  return names;
}

std::vector<float> window_factors(Window window, size_t size) {
  const WindowRow& row = kWindows[static_cast<size_t>(window)];
  std::vector<float> factors(size);
  for (size_t n = 0; n < size; ++n) {
    const double t = 2.0 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(size);
    factors[n] = static_cast<float>(row.a0 - row.a1 * std::cos(t) + row.a2 * std::cos(2.0 * t));
  }
  return factors;
}

}  // namespace edgetwin::signals
