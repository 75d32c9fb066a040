// Where an axis has its numbers, and how they are written.
#pragma once

#include <string>
#include <vector>

namespace edgetwin::plot {

struct Range {
  double low = 0.0, high = 1.0;
  double size() const { return high - low; }
};

struct Ticks {
  Range range;  // the range asked for, widened to whole steps if that was wanted
  double step = 1.0;
  std::vector<double> values;       // inside the range, ascending
  std::vector<std::string> labels;  // as many, all with the same number of decimals
};

// About `wanted` ticks at 1, 2 or 5 times a power of ten. An empty or invalid range becomes one
// around its value. `widen` moves the ends of the range to ticks.
Ticks make_ticks(Range range, int wanted, bool widen);

}  // namespace edgetwin::plot
