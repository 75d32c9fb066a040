// A matrix turned over, in tiles of 8 by 8 elements that stay in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace edgetwin::ops {

inline constexpr int64_t kTileSide = 8;

template <class T>
struct TileRow {
  typedef T Vector __attribute__((vector_size(kTileSide * sizeof(T))));
};

// Three times each row is interleaved with the one half a tile further: then rows are columns.
template <class T>
void turn_tile(const T* from, int64_t from_row, T* to, int64_t to_row) {
  using Vector = typename TileRow<T>::Vector;
  constexpr int kHalf = kTileSide / 2;
  Vector rows[kTileSide];
  for (int i = 0; i < kTileSide; ++i) std::memcpy(&rows[i], from + i * from_row, sizeof(Vector));
  for (int pass = 0; pass < 3; ++pass) {
    Vector mixed[kTileSide];
    for (int i = 0; i < kHalf; ++i) {
      const Vector a = rows[i], b = rows[i + kHalf];
      mixed[2 * i] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      mixed[2 * i + 1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    }
    std::memcpy(rows, mixed, sizeof rows);
  }
  for (int i = 0; i < kTileSide; ++i) std::memcpy(to + i * to_row, &rows[i], sizeof(Vector));
}

// to[j * to_row + i] = from[i * from_row + j] for i < rows, j < columns.
template <class T>
void turn_matrix(const T* from, int64_t from_row, T* to, int64_t to_row, int64_t rows,
                 int64_t columns) {
  const int64_t whole_rows = rows / kTileSide * kTileSide;
  const int64_t whole_columns = columns / kTileSide * kTileSide;
  for (int64_t j = 0; j < whole_columns; j += kTileSide) {
    for (int64_t i = 0; i < whole_rows; i += kTileSide) {
      turn_tile(from + i * from_row + j, from_row, to + j * to_row + i, to_row);
    }
  }
  for (int64_t j = 0; j < columns; ++j) {
    const int64_t begin = j < whole_columns ? whole_rows : 0;
    for (int64_t i = begin; i < rows; ++i) to[j * to_row + i] = from[i * from_row + j];
  }
}

}  // namespace edgetwin::ops
