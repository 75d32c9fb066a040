// Where the function tables of the tensor unit end: their limits tell the functions apart.
#pragma once

#include <cmath>

namespace edgetwin::edgetpu {

// The last input of each table, read off the clamps of compiled programs.
constexpr float kLogisticRange = 10.3967F;
constexpr float kTanhRange = 6.87481F;

inline bool near(float x, float y) { return std::abs(x - y) < 1e-3F; }

}  // namespace edgetwin::edgetpu
