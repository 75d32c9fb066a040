// Random numbers that are the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace edgetwin::robotics {

// SplitMix64: every seed is a good one.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  // 0 <= x < 1
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  // Mean 0, deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  uint64_t state_;
};

}  // namespace edgetwin::robotics
