// Random numbers that are the same on every platform: the standard library's distributions may
// differ between implementations, so both the generator and the distributions are spelled out here.
#pragma once

#include <cstdint>

namespace edgetwin::digits {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  // SplitMix64: one addition and a mixing function, any seed is good.
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  // 0 .. n-1. The bias of the multiplication is below n/2^32, of no weight here.
  int below(int n) {
    return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(n)) >> 32);
  }

  // [0, 1) with 24 bits, so that the value is exact in float.
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  float between(float low, float high) { return low + (high - low) * unit(); }

  // Nearly normal with variance 1: the sum of four uniforms, which needs no logarithm.
  float bell() { return (unit() + unit() + unit() + unit() - 2.0f) * 1.7320508f; }

 private:
  std::uint64_t state_;
};

}  // namespace edgetwin::digits
