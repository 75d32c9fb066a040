// Pictures of which each pixel is a copy of the nearest one of the input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace edgetwin::ops {

class NearestRows {
 public:
  // The input row of each output row, the input column of each output column (of `in_columns`), and
  // the bytes of a pixel, at least 1.
  NearestRows(std::vector<int64_t> rows, std::vector<int64_t> columns, int64_t in_columns,
              int64_t pixel_bytes)
      : rows_(std::move(rows)), columns_(std::move(columns)), pixel_bytes_(pixel_bytes) {
    while (step_ < pixel_bytes_) step_ *= 2;
    // Copies of a whole step stay within both rows; what one writes too much, the next replaces.
    const auto out = static_cast<int64_t>(columns_.size());
    const auto spare = (step_ - 1) / pixel_bytes_;
    for (int64_t x = 0; x < out - spare; ++x) {
      if (columns_[static_cast<size_t>(x)] >= in_columns - spare) break;
      stepped_ = static_cast<size_t>(x) + 1;
    }
  }

  int64_t height() const { return static_cast<int64_t>(rows_.size()); }
  int64_t row_bytes() const { return static_cast<int64_t>(columns_.size()) * pixel_bytes_; }

  // Output rows [begin, end) to `to`. source(y) are the bytes of input row y; rows that have the
  // same one are made once and then copied.
  template <class Source>
  void copy(int64_t begin, int64_t end, std::byte* to, const Source& source) const {
    for (int64_t y = begin; y < end; ++y, to += row_bytes()) {
      const int64_t from = rows_[static_cast<size_t>(y)];
      if (y != begin && from == rows_[static_cast<size_t>(y - 1)]) {
        std::memcpy(to, to - row_bytes(), static_cast<size_t>(row_bytes()));
      } else {
        copy_pixels(source(from), to);
      }
    }
  }

 private:
  void copy_pixels(const std::byte* row, std::byte* to) const {
    const auto one = [&](size_t bytes, size_t x) {
      std::memcpy(to + static_cast<int64_t>(x) * pixel_bytes_, row + columns_[x] * pixel_bytes_,
                  bytes);
    };
    const auto steps = [&]<size_t Bytes>() {
      for (size_t x = 0; x < stepped_; ++x) one(Bytes, x);
    };
    size_t done = stepped_;
    switch (step_) {
      case 1:
        steps.template operator()<1>();
        break;
      case 2:
        steps.template operator()<2>();
        break;
      case 4:
        steps.template operator()<4>();
        break;
      case 8:
        steps.template operator()<8>();
        break;
      case 16:
        steps.template operator()<16>();
        break;
      case 32:
        steps.template operator()<32>();
        break;
      case 64:
        steps.template operator()<64>();
        break;
      default:
        done = 0;
    }
    for (size_t x = done; x < columns_.size(); ++x) one(static_cast<size_t>(pixel_bytes_), x);
  }

  std::vector<int64_t> rows_, columns_;
  int64_t pixel_bytes_;
  int64_t step_ = 1;    // a power of two, at least a pixel
  size_t stepped_ = 0;  // output columns whose pixels are copied as steps
};

}  // namespace edgetwin::ops
