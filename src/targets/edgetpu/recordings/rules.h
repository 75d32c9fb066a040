// Inputs that are recorded as rules: the words in which cases give them, and the generator that
// some of them draw from.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace edgetwin::edgetpu::silicon {

// The numbers that stand where the pattern has '#', at the first place in `text` where all the rest
// of the pattern is found: ("all 128", "all #") is {128}. Blanks are characters like others.
std::optional<std::vector<double>> numbers_like(std::string_view text, std::string_view pattern);

// A number of a rule as a whole one; -1 where it is none from 0 to 2^32 - 1.
int64_t whole_number(double value);

// numpy.random.RandomState(seed): the Mersenne Twister MT19937, doubles of 53 bits, normal numbers
// in pairs by the polar method.
class RandomState {
 public:
  explicit RandomState(uint32_t seed);
  double uniform(double low, double high) { return low + (high - low) * next_double(); }
  double normal(double mean, double deviation) { return mean + deviation * next_normal(); }

 private:
  static constexpr size_t kWords = 624;
  uint32_t next();
  double next_double();
  double next_normal();

  std::array<uint32_t, kWords> state_ = {};
  size_t at_ = kWords;
  std::optional<double> spare_;
};

}  // namespace edgetwin::edgetpu::silicon
