#include "targets/edgetpu/recordings/rules.h"

#include <charconv>
#include <cmath>

namespace edgetwin::edgetpu::silicon {
namespace {

std::optional<std::vector<double>> match_here(std::string_view text, std::string_view pattern) {
  std::vector<double> numbers;
  for (const char c : pattern) {
    if (c != '#') {
      if (text.empty() || text.front() != c) return std::nullopt;
      text.remove_prefix(1);
      continue;
    }
    double value = 0.0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc()) return std::nullopt;
    numbers.push_back(value);
    text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
  }
  return numbers;
}

}  // namespace

std::optional<std::vector<double>> numbers_like(std::string_view text, std::string_view pattern) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (auto found = match_here(text.substr(i), pattern)) return found;
  }
  return std::nullopt;
}

int64_t whole_number(double value) {
  return value >= 0.0 && value < 4294967296.0 ? static_cast<int64_t>(value) : -1;
}

RandomState::RandomState(uint32_t seed) {
  for (size_t i = 0; i < kWords; ++i) {
    state_[i] = seed;
    seed = 1812433253U * (seed ^ (seed >> 30)) + static_cast<uint32_t>(i) + 1U;
  }
}

uint32_t RandomState::next() {
  constexpr size_t kMiddle = 397;
  if (at_ == kWords) {
    for (size_t i = 0; i < kWords; ++i) {
      const uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kWords] & 0x7fffffffU);
      state_[i] = state_[(i + kMiddle) % kWords] ^ (y >> 1) ^ ((y & 1U) != 0 ? 0x9908b0dfU : 0U);
    }
    at_ = 0;
  }
  uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

double RandomState::next_double() {
  const double high = next() >> 5;
  const double low = next() >> 6;
  return (high * 67108864.0 + low) / 9007199254740992.0;
}

double RandomState::next_normal() {
  if (spare_) {
    const double value = *spare_;
    spare_.reset();
    return value;
  }
  double x = 0.0, y = 0.0, square = 0.0;
  do {
    x = 2.0 * next_double() - 1.0;
    y = 2.0 * next_double() - 1.0;
    square = x * x + y * y;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  spare_ = factor * x;
  return factor * y;
}

}  // namespace edgetwin::edgetpu::silicon
