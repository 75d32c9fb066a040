// A picture of one digit and a set of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace edgetwin::digits {

inline constexpr int kSide = 28;
inline constexpr int kPixels = kSide * kSide;
inline constexpr int kClasses = 10;

// Grey values, top row first; 0 is black. The digit is lighter than its background.
struct Picture {
  std::array<std::uint8_t, kPixels> grey{};
  int label = 0;
};

using PictureSet = std::vector<Picture>;

}  // namespace edgetwin::digits
