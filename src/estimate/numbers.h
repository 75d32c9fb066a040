// Numbers of estimates: few digits, and ranges.
#pragma once

#include <string>

#include "edgetwin/estimate.h"

namespace edgetwin::estimates {

// The number with at most `digits` significant digits.
double rounded(double value, int digits = 3);
// "3.85", "12.5", "1 230", "0.0023": three digits.
std::string number_text(double value);
// "3.8 ms", "1.2 s", "45 us".
std::string ms_text(double ms);  // in the unit of its size: "438 µs", "1.41 ms", "2.1 s"
// "1.41 ms (1.4 to 1.41)": all three in the unit of the middle.
std::string ms_range_text(const EstimateRange& r);

// middle * low to middle * high
EstimateRange range_of(double mid, double low, double high);
EstimateRange sum(const EstimateRange& a, const EstimateRange& b);
EstimateRange scaled(const EstimateRange& a, double factor);
// Each end the larger of the two.
EstimateRange larger(const EstimateRange& a, const EstimateRange& b);

}  // namespace edgetwin::estimates
