// Output rows of few channels cut into eight elements each, as the kernels take them together.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/core/aligned.h"
#include "kernels/core/resize_table.h"

namespace edgetwin::ops {

// Where the pixels of an element of an output row are in the input row.
struct ResizePlace {
  int64_t low = 0, high = 0;
};

inline constexpr int64_t kWindowElements = 8;
inline constexpr int kMostWindowChannels = 7;  // eight channels of a pixel are a vector themselves

template <class Column>
ResizePlace place_of(const std::vector<Column>& columns, int channels, int64_t element) {
  const Column& c = columns[static_cast<size_t>(element / channels)];
  return {c.low + element % channels, c.high + element % channels};
}

// Calls window(first, count) for each eight elements of `count`; stops where it returns false.
template <class Window>
bool each_window(int64_t elements, const Window& window) {
  for (int64_t i = 0; i < elements; i += kWindowElements) {
    if (!window(i, std::min(kWindowElements, elements - i))) return false;
  }
  return true;
}

template <class Weight>
using ResizeColumns = std::vector<kernels::ResizeColumn<Weight>>;

// Null: there are many channels, or eight elements need more than sixteen bytes of the input row.
template <class Weight>
std::shared_ptr<const std::vector<kernels::ResizeWindow>> make_windows(
    const ResizeColumns<Weight>& columns, int channels, int64_t in_elements) {
  constexpr int64_t kBytes = 16;
  if (channels > kMostWindowChannels || in_elements < kBytes) return nullptr;
  auto windows = std::make_shared<std::vector<kernels::ResizeWindow>>();
  const int64_t elements = static_cast<int64_t>(columns.size()) * channels;
  const bool whole = each_window(elements, [&](int64_t first, int64_t count) {
    kernels::ResizeWindow w;
    w.at = in_elements - kBytes;
    for (int64_t i = 0; i < count; ++i) {
      const ResizePlace p = place_of(columns, channels, first + i);
      w.at = std::min({w.at, p.low, p.high});
    }
    for (int64_t i = 0; i < count; ++i) {
      const ResizePlace p = place_of(columns, channels, first + i);
      if (std::max(p.low, p.high) >= w.at + kBytes) return false;
      const auto at = static_cast<size_t>(2 * i);
      w.places[at] = static_cast<uint8_t>(p.low - w.at);
      w.places[at + 1] = static_cast<uint8_t>(p.high - w.at);
      if constexpr (std::is_integral_v<Weight>) {
        const auto& c = columns[static_cast<size_t>((first + i) / channels)];
        w.weights[at] = static_cast<int16_t>(c.low_weight);
        w.weights[at + 1] = static_cast<int16_t>(c.high_weight);
        w.byte_weights[at] = static_cast<uint8_t>(c.low_weight);
        w.byte_weights[at + 1] = static_cast<uint8_t>(c.high_weight);
      }
    }
    windows->push_back(w);
    return true;
  });
  return whole ? windows : nullptr;
}

// What the columns of all elements of an output row weigh, up to a multiple of a block.
struct ElementWeights {
  kernels::AlignedArray<float> low, high;
};
inline ElementWeights element_weights(const ResizeColumns<float>& columns, int channels) {
  constexpr auto kBlock = static_cast<size_t>(kernels::kResizeBlock);
  const auto each = static_cast<size_t>(channels);
  const size_t size = (columns.size() * each + kBlock - 1) / kBlock * kBlock;
  ElementWeights weights{kernels::AlignedArray<float>(size), kernels::AlignedArray<float>(size)};
  for (size_t x = 0; x < columns.size(); ++x) {
    std::fill_n(weights.low.data() + x * each, each, columns[x].low_weight);
    std::fill_n(weights.high.data() + x * each, each, columns[x].high_weight);
  }
  return weights;
}

}  // namespace edgetwin::ops
