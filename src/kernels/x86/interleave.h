// Interleaving of the taps of input rows. Included once per instruction set.
#pragma once

#include "kernels/core/table8.h"
#include "kernels/x86/encode.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <int Vectors>
[[gnu::always_inline]] inline void encode_taps(const Vec::Encoder& encoder, uint8_t* to,
                                               const uint8_t* const* from) {
  if constexpr (Vectors == 4) {
    encoder.interleave4(to, from);
  } else {
    encoder.interleave(to, from);
  }
}

// One position of all rows, whose taps may lie outside, or be too near the end of a row to read as
// many bytes as there are lanes.
template <int Vectors>
inline void interleave_checked(const InterleaveRows& rows, const Vec::Encoder& encoder, int p) {
  uint8_t copies[Vec::kTaps][Vec::kLanes];
  for (int g = 0; g < rows.groups; ++g) {
    const std::ptrdiff_t to =
        (static_cast<std::ptrdiff_t>(p) * rows.groups + g) * (Vectors * Vec::kBytes);
    std::ptrdiff_t offsets[Vec::kTaps];
    bool inside[Vec::kTaps], partial = false;
    for (int tap = 0; tap < Vec::kTaps; ++tap) {
      const int column = rows.first + p * rows.step + (g * Vec::kTaps + tap) * rows.dilation;
      inside[tap] = column >= 0 && column < rows.columns;
      offsets[tap] = inside[tap] ? column * rows.column_stride : 0;
      partial = partial || (inside[tap] && offsets[tap] + Vectors * Vec::kLanes > rows.readable);
    }
    for (int r = 0; r < rows.rows; ++r) {
      const uint8_t* from[Vec::kTaps];
#pragma GCC unroll 4
      for (int tap = 0; tap < Vec::kTaps; ++tap) {
        from[tap] = inside[tap] ? rows.from[r] + offsets[tap] : rows.pad;
        if (Vectors > 1 || !partial) continue;
        Vec::copy_some(copies[tap], from[tap], rows.channels);
        from[tap] = copies[tap];
      }
      encode_taps<Vectors>(encoder, rows.to[r] + to, from);
    }
  }
}

// The positions of one row whose taps are all inside.
template <int Vectors>
inline void interleave_inner(const InterleaveRows& rows, const Vec::Encoder& encoder, int r) {
  const std::ptrdiff_t tap_stride = rows.dilation * rows.column_stride;
  const std::ptrdiff_t step = rows.step * rows.column_stride;
  const int begin = rows.inner_begin, end = rows.inner_end;
  uint8_t* to =
      rows.to[r] + static_cast<std::ptrdiff_t>(begin) * rows.groups * (Vectors * Vec::kBytes);
  const uint8_t* position = rows.from[r] + rows.first * rows.column_stride + begin * step;
  for (int p = begin; p < end; ++p, position += step) {
    const uint8_t* group = position;
    for (int g = 0; g < rows.groups; ++g, to += Vectors * Vec::kBytes) {
      const uint8_t* from[Vec::kTaps];
#pragma GCC unroll 4
      for (int tap = 0; tap < Vec::kTaps; ++tap) from[tap] = group + tap * tap_stride;
      encode_taps<Vectors>(encoder, to, from);
      group += Vec::kTaps * tap_stride;
    }
  }
}

template <int Vectors>
void interleave_vectors(const InterleaveRows& rows) {
  const Vec::Encoder encoder(rows.encoding);
  for (int p = 0; p < rows.inner_begin; ++p) interleave_checked<Vectors>(rows, encoder, p);
  for (int p = rows.inner_end; p < rows.positions; ++p) {
    interleave_checked<Vectors>(rows, encoder, p);
  }
  for (int r = 0; r < rows.rows; ++r) interleave_inner<Vectors>(rows, encoder, r);
}

inline void interleave(const InterleaveRows& rows) {
  if (rows.vectors == 4) {
    interleave_vectors<4>(rows);
  } else {
    interleave_vectors<1>(rows);
  }
}

inline void window_terms(int32_t* terms, const DenseRow& row, int run_elements, int32_t factor) {
  for (int p = 0; p < row.pixels; ++p) {
    int32_t sum = 0;
    for (int r = 0; r < row.run_count; ++r) {
      sum += Vec::sum_bytes(row.runs[r] + p * row.pixel_stride, run_elements);
    }
    // Wraps like every sum here.
    terms[p] = static_cast<int32_t>(static_cast<uint32_t>(sum) * static_cast<uint32_t>(factor));
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
