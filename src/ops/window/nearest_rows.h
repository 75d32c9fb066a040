// Pictures of which each pixel is a copy of the nearest one of the input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "kernels/elements/resize.h"

namespace edgetwin::ops {

class NearestRows {
 public:
  // The input row of each output row, the input column of each output column (of `in_columns`), and
  // the bytes of a pixel, at least 1.
  // `table` null: without kernels.
  NearestRows(std::vector<int64_t> rows, std::vector<int64_t> columns, int64_t in_columns,
              int64_t pixel_bytes, const kernels::ResizeTable* table)
      : rows_(std::move(rows)), columns_(std::move(columns)), pixel_bytes_(pixel_bytes) {
    if (table != nullptr && pixel_bytes_ < kLargePixel) {
      copies_ = table->copies;
      find_windows(in_columns * pixel_bytes_);
    }
    while (step_ < pixel_bytes_) step_ *= 2;
    // Copies of a whole step stay within both rows; what one writes too much, the next replaces.
    const auto out = static_cast<int64_t>(columns_.size());
    const auto spare = (step_ - 1) / pixel_bytes_;
    for (int64_t x = 0; x < out - spare; ++x) {
      if (columns_[static_cast<size_t>(x)] >= in_columns - spare) break;
      stepped_ = static_cast<size_t>(x) + 1;
    }
  }

  bool has_kernel() const { return !windows_.empty(); }
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
  // Sixteen bytes of the output each, if all of them come from sixteen bytes of the input.
  void find_windows(int64_t in_bytes) {
    constexpr int64_t kBytes = 16;
    if (in_bytes < kBytes || row_bytes() < kBytes) return;
    const auto source = [&](int64_t at) {
      return columns_[static_cast<size_t>(at / pixel_bytes_)] * pixel_bytes_ + at % pixel_bytes_;
    };
    std::vector<kernels::CopyWindow> windows;
    for (int64_t i = 0; i < row_bytes(); i += kBytes) {
      const int64_t first = std::min(i, row_bytes() - kBytes);
      kernels::CopyWindow w;
      w.at = in_bytes - kBytes;
      for (int64_t k = 0; k < kBytes; ++k) w.at = std::min<int64_t>(w.at, source(first + k));
      for (int64_t k = 0; k < kBytes; ++k) {
        if (source(first + k) >= w.at + kBytes) return;
        w.places[k] = static_cast<uint8_t>(source(first + k) - w.at);
      }
      windows.push_back(w);
    }
    windows_ = std::move(windows);
  }

  void copy_pixels(const std::byte* row, std::byte* to) const {
    if (!windows_.empty()) {
      copies_(windows_.data(), reinterpret_cast<const uint8_t*>(row), row_bytes(),
              reinterpret_cast<uint8_t*>(to));
      return;
    }
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

  static constexpr int64_t kLargePixel = 8;  // bytes from which on pixels are copied one by one

  std::vector<int64_t> rows_, columns_;
  int64_t pixel_bytes_;
  int64_t step_ = 1;    // a power of two, at least a pixel
  size_t stepped_ = 0;  // output columns whose pixels are copied as steps
  std::vector<kernels::CopyWindow> windows_;
  decltype(kernels::ResizeTable::copies) copies_ = nullptr;
};

}  // namespace edgetwin::ops
