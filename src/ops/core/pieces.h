// Pieces of equal size, each after the other or far apart, as cutting and joining along an axis
// have them. Calls of memcpy take longer than what short pieces need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace edgetwin::ops {

struct Pieces {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  int64_t to_step = 0, from_step = 0;  // from piece to piece, in bytes
  int64_t bytes = 0, count = 0;
};

namespace pieces {

template <class Copy>
void each(const Pieces& p, const Copy& copy) {
  std::byte* to = p.to;
  const std::byte* from = p.from;
  for (int64_t n = 0; n < p.count; ++n, to += p.to_step, from += p.from_step) copy(to, from);
}

// Of a size that the compiler knows.
template <size_t Bytes>
void exact(const Pieces& p) {
  each(p, [](std::byte* to, const std::byte* from) { std::memcpy(to, from, Bytes); });
}

// Units of so many bytes, at least one: the last one may be partly there already.
template <size_t Unit>
void overlapping(const Pieces& p) {
  constexpr auto kUnit = static_cast<int64_t>(Unit);
  each(p, [last = p.bytes - kUnit](std::byte* to, const std::byte* from) {
    for (int64_t i = 0; i < last; i += kUnit) std::memcpy(to + i, from + i, Unit);
    std::memcpy(to + last, from + last, Unit);
  });
}

}  // namespace pieces

// Source and destination have nothing in common.
inline void copy_pieces(const Pieces& p) {
  constexpr int64_t kShort = 128;
  if (p.bytes > kShort) {
    return pieces::each(
        p, [size = static_cast<size_t>(p.bytes)](std::byte* to, const std::byte* from) {
          std::memcpy(to, from, size);
        });
  }
  switch (p.bytes) {
    case 0:
      return;
    case 16:
      return pieces::exact<16>(p);
    case 32:
      return pieces::exact<32>(p);
    case 64:
      return pieces::exact<64>(p);
    case 128:
      return pieces::exact<128>(p);
    default:
      break;
  }
  if (p.bytes >= 16) return pieces::overlapping<16>(p);
  if (p.bytes >= 4) return pieces::overlapping<4>(p);
  pieces::overlapping<1>(p);
}

// Calls run(first, count) for positions before the axis, few at a time: what belongs together is
// then in the cache.
template <class Run>
void each_few(int64_t positions, const Run& run) {
  constexpr int64_t kFew = 256;
  for (int64_t first = 0; first < positions; first += kFew) {
    run(first, positions - first < kFew ? positions - first : kFew);
  }
}

}  // namespace edgetwin::ops
