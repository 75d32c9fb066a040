#include "targets/edgetpu/params/wide_lines.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace edgetwin::edgetpu {
namespace {

struct Lines {
  size_t slots, steps, window, in;
  LineOrder order;
  size_t inner;

  explicit Lines(const BlockShape& s)
      : slots(static_cast<size_t>(s.slots())),
        steps(static_cast<size_t>((s.in + 3) / 4)),
        window(static_cast<size_t>(s.kernel_h * s.kernel_w)),
        in(static_cast<size_t>(s.in)),
        order(s.order),
        inner(inner_of(s)) {}
  // Parts of equal length, or none.
  static size_t inner_of(const BlockShape& s) {
    const int n = std::max(0, s.inner_words);
    return n != 0 && (s.in + 3) / 4 % n == 0 ? static_cast<size_t>(n) : 0;
  }
  size_t row_bytes() const { return window * in; }  // of one output channel
  // Where the line of tap `tap` and input channels 4 * step … starts.
  size_t line(size_t tap, size_t step) const {
    size_t index = order == LineOrder::input_outer ? step * window + tap : tap * steps + step;
    if (inner != 0) index = (step / inner * window + tap) * inner + step % inner;
    return index * slots * 4;
  }
  size_t stride() const { return (order == LineOrder::input_outer ? window : 1) * slots * 4; }
};

uint8_t line_zero_of(const BlockContent& content, size_t channel) {
  return content.zero_points.size() == 1 ? content.zero_points[0] : content.zero_points[channel];
}

#if defined(__SSE2__)
// Four channels times sixteen inputs: a transposition of words of four bytes.
inline void transpose_words(const std::byte* from, size_t row, std::byte* to, size_t stride) {
  const auto load = [](const std::byte* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  };
  const auto store = [](std::byte* p, __m128i x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), x);
  };
  const __m128i a = load(from), b = load(from + row);
  const __m128i c = load(from + 2 * row), d = load(from + 3 * row);
  const __m128i ab_low = _mm_unpacklo_epi32(a, b), ab_high = _mm_unpackhi_epi32(a, b);
  const __m128i cd_low = _mm_unpacklo_epi32(c, d), cd_high = _mm_unpackhi_epi32(c, d);
  store(to, _mm_unpacklo_epi64(ab_low, cd_low));
  store(to + stride, _mm_unpackhi_epi64(ab_low, cd_low));
  store(to + 2 * stride, _mm_unpacklo_epi64(ab_high, cd_high));
  store(to + 3 * stride, _mm_unpackhi_epi64(ab_high, cd_high));
}
#else
inline void transpose_words(const std::byte* from, size_t row, std::byte* to, size_t stride) {
  for (size_t step = 0; step < 4; ++step) {
    for (size_t s = 0; s < 4; ++s) {
      std::memcpy(to + step * stride + 4 * s, from + s * row + 4 * step, 4);
    }
  }
}
#endif

// Four slots from `steps` multiples of four on, at most 16: whole cache lines of what is read.
inline void put_quarter(const std::byte* from, size_t row, size_t steps, std::byte* to,
                        size_t stride) {
  for (size_t step = 0; step < steps; step += 4, from += 16, to += 4 * stride) {
    transpose_words(from, row, to, stride);
  }
}

// Whole words of `slots` and `steps`, multiples of four, in tiles of 16 by 16, so that whole cache
// lines are written while they are near.
void put_tiles(const Lines& l, const std::byte* weights, size_t tap, size_t slots, size_t steps,
               std::byte* lines) {
  constexpr size_t kTile = 16;
  const size_t row = l.row_bytes(), stride = l.stride();
  for (size_t slot0 = 0; slot0 < slots; slot0 += kTile) {
    const size_t slot_end = std::min(slot0 + kTile, slots);
    for (size_t step0 = 0; step0 < steps; step0 += kTile) {
      const size_t count = std::min(kTile, steps - step0);
      const std::byte* from = weights + slot0 * row + tap * l.in + 4 * step0;
      std::byte* to = lines + l.line(tap, step0) + 4 * slot0;
      for (size_t slot = slot0; slot < slot_end; slot += 4, from += 4 * row, to += 16) {
        put_quarter(from, row, count, to, stride);
      }
    }
  }
}

// One slot from `step` on, the last word filled up with the zero point.
void put_slot(const Lines& l, const std::byte* row, uint8_t zero, size_t tap, size_t slot,
              size_t step, std::byte* lines) {
  for (; step < l.steps; ++step) {
    std::byte* word = lines + l.line(tap, step) + 4 * slot;
    const size_t left = std::min<size_t>(4, l.in - 4 * step);
    if (left < 4) std::memset(word, zero, 4);
    std::memcpy(word, row + tap * l.in + 4 * step, left);
  }
}

}  // namespace

void put_lines(const BlockShape& shape, const BlockContent& content, size_t first, int real,
               std::byte* lines) {
  const Lines l(shape);
  const auto channels = static_cast<size_t>(real);
  const std::byte* weights = content.weights.data() + first * l.row_bytes();
  // Tiles of words need the same distance between all of them.
  const size_t tiled_slots = l.inner != 0 ? 0 : channels / 4 * 4, tiled_steps = l.in / 16 * 4;
  const size_t filled = (channels + 3) / 4 * 4;
  for (size_t tap = 0; tap < l.window; ++tap) {
    put_tiles(l, weights, tap, tiled_slots, tiled_steps, lines);
    for (size_t s = 0; s < channels; ++s) {
      put_slot(l, weights + s * l.row_bytes(), line_zero_of(content, first + s), tap, s,
               s < tiled_slots ? tiled_steps : 0, lines);
    }
    for (size_t s = channels; s < filled; ++s) {
      for (size_t step = 0; step < l.steps; ++step) {
        std::memset(lines + l.line(tap, step) + 4 * s, line_zero_of(content, 0), 4);
      }
    }
  }
}

void take_lines(const BlockShape& shape, size_t first, int real, const std::byte* lines,
                Bytes& weights) {
  const Lines l(shape);
  for (size_t s = 0; s < static_cast<size_t>(real); ++s) {
    std::byte* row = weights.data() + (first + s) * l.row_bytes();
    for (size_t tap = 0; tap < l.window; ++tap) {
      for (size_t step = 0; step < l.steps; ++step) {
        const size_t left = std::min<size_t>(4, l.in - 4 * step);
        std::memcpy(row + tap * l.in + 4 * step, lines + l.line(tap, step) + 4 * s, left);
      }
    }
  }
}

}  // namespace edgetwin::edgetpu
