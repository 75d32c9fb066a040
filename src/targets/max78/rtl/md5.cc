#include "targets/max78/rtl/md5.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace edgetwin::max78 {
namespace {

constexpr std::array<int, 16> kTurns = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};

using Md5State = std::array<uint32_t, 4>;

// The integer part of 2^32 |sin(i + 1)|, i from 0 to 63.
uint32_t sine(int i) {
  return static_cast<uint32_t>(std::floor(std::fabs(std::sin(i + 1.0)) * 4294967296.0));
}

void take_block(Md5State& state, const std::array<uint32_t, 16>& words) {
  auto [a, b, c, d] = state;
  for (int i = 0; i < 64; ++i) {
    uint32_t f = 0;
    int g = i;
    if (i < 16) {
      f = (b & c) | (~b & d);
    } else if (i < 32) {
      f = (d & b) | (~d & c);
      g = 5 * i + 1;
    } else if (i < 48) {
      f = b ^ c ^ d;
      g = 3 * i + 5;
    } else {
      f = c ^ (b | ~d);
      g = 7 * i;
    }
    const uint32_t sum = a + f + sine(i) + words[static_cast<size_t>(g % 16)];
    a = d;
    d = c;
    c = b;
    b += std::rotl(sum, kTurns[static_cast<size_t>(i / 16 * 4 + i % 4)]);
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d};
}

}  // namespace

std::string md5(std::string_view text) {
  std::string padded(text);
  padded += '\x80';
  while (padded.size() % 64 != 56) padded += '\0';
  const uint64_t bits = uint64_t{8} * text.size();
  for (int i = 0; i < 8; ++i) padded += static_cast<char>(bits >> (8 * i) & 0xffU);
  Md5State state = {0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U};
  for (size_t at = 0; at < padded.size(); at += 64) {
    std::array<uint32_t, 16> words{};
    for (size_t i = 0; i < 64; ++i) {
      words[i / 4] |= uint32_t{static_cast<uint8_t>(padded[at + i])} << (8 * (i % 4));
    }
    take_block(state, words);
  }
  std::string digits;
  for (const uint32_t word : state) {
    for (int i = 0; i < 8; ++i) {
      const int nibble = 4 * (i / 2 * 2 + 1 - i % 2);
      digits += "0123456789abcdef"[(word >> nibble) & 15U];
    }
  }
  return digits;
}

}  // namespace edgetwin::max78
