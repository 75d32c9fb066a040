// Encoding of input rows and interleaving of their taps. Included once per instruction set.
#pragma once

#include "kernels/kernel_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// The pixel at a column, or padding.
inline const uint8_t* column_or_pad(const InterleaveRow& row, int column) {
  const bool inside = row.row != nullptr && column >= 0 && column < row.columns;
  return inside ? row.row + column * row.column_stride : row.pad;
}

// Any position: taps may lie outside, pixels may have fewer channels than a vector has lanes.
inline void interleave_checked(const InterleaveRow& row, const Vec::Encoder& encoder, int p) {
  uint8_t copies[Vec::kTaps][Vec::kLanes] = {};
  uint8_t* to = row.to + static_cast<std::ptrdiff_t>(p) * row.groups * Vec::kBytes;
  int column = row.first + p * row.step;
  for (int g = 0; g < row.groups; ++g, to += Vec::kBytes) {
    const uint8_t* from[Vec::kTaps];
    for (int tap = 0; tap < Vec::kTaps; ++tap, column += row.dilation) {
      from[tap] = column_or_pad(row, column);
      if (row.channels == Vec::kLanes) continue;
      for (int c = 0; c < row.channels; ++c) copies[tap][c] = from[tap][c];
      from[tap] = copies[tap];
    }
    encoder.interleave(to, from);
  }
}

// Positions whose taps are all inside, with all lanes valid.
inline void interleave_inner(const InterleaveRow& row, const Vec::Encoder& encoder, int begin,
                             int end) {
  const std::ptrdiff_t tap_stride = row.dilation * row.column_stride;
  const std::ptrdiff_t step = row.step * row.column_stride;
  uint8_t* to = row.to + static_cast<std::ptrdiff_t>(begin) * row.groups * Vec::kBytes;
  const uint8_t* position = row.row + row.first * row.column_stride + begin * step;
  for (int p = begin; p < end; ++p, position += step) {
    const uint8_t* group = position;
    for (int g = 0; g < row.groups; ++g, to += Vec::kBytes) {
      const uint8_t* from[Vec::kTaps];
#pragma GCC unroll 4
      for (int tap = 0; tap < Vec::kTaps; ++tap) from[tap] = group + tap * tap_stride;
      encoder.interleave(to, from);
      group += Vec::kTaps * tap_stride;
    }
  }
}

inline void interleave(const InterleaveRow& row) {
  const Vec::Encoder encoder(row.encoding);
  const int span = (row.groups * Vec::kTaps - 1) * row.dilation;
  int begin = 0, end = 0;  // of the inner positions
  if (row.row != nullptr && row.channels == Vec::kLanes) {
    begin = row.first >= 0 ? 0 : (-row.first + row.step - 1) / row.step;
    const int room = row.columns - 1 - span - row.first;
    end = room < 0 ? 0 : room / row.step + 1;
    if (end > row.positions) end = row.positions;
    if (begin > end) begin = end;
  }
  for (int p = 0; p < begin; ++p) interleave_checked(row, encoder, p);
  interleave_inner(row, encoder, begin, end);
  for (int p = end; p < row.positions; ++p) interleave_checked(row, encoder, p);
}

inline void encode(uint8_t* to, const uint8_t* from, std::size_t count,
                   const InputEncoding& encoding) {
  const Vec::Encoder encoder(encoding);
  std::size_t i = 0;
  for (; i + Vec::kEncoded <= count; i += Vec::kEncoded) {
    encoder.encode(to + i * Vec::kElementBytes, from + i);
  }
  if (i == count) return;
  uint8_t source[Vec::kEncoded] = {};
  uint8_t result[Vec::kEncoded * Vec::kElementBytes];
  for (std::size_t k = i; k < count; ++k) source[k - i] = from[k];
  encoder.encode(result, source);
  for (std::size_t k = 0; k < (count - i) * Vec::kElementBytes; ++k) {
    to[i * Vec::kElementBytes + k] = result[k];
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
