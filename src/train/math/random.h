// The random numbers of training: a generator by seed and purpose, so that a resumed run, another
// number of threads or another order of work draws the same. Specification: training, 8.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace edgetwin::train {

enum class Purpose : uint8_t { weights, permutation, augmentation, validation, dropout };

// SplitMix64 from a key that mixes seed, purpose and two indices (epoch and item, say).
class Random {
 public:
  Random(uint64_t seed, Purpose purpose, uint64_t first = 0, uint64_t second = 0)
      : state_(mixed(mixed(mixed(seed) + static_cast<uint64_t>(purpose)) + first)) {
    state_ = mixed(state_ + second);
  }

  uint64_t next() { return mixed(state_ += kStep); }
  // 0 <= x < 1, a multiple of 2^-24: exact in binary32.
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24F; }
  // 0 <= n < count, without bias.
  uint64_t below(uint64_t count) {
    const uint64_t limit = UINT64_MAX - UINT64_MAX % count;
    uint64_t draw = next();
    while (draw >= limit) draw = next();
    return draw % count;
  }
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  static constexpr uint64_t kStep = 0x9E3779B97F4A7C15;
  static uint64_t mixed(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  uint64_t state_;
};

}  // namespace edgetwin::train
