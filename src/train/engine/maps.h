// The feature maps of a batch in binary32, channels last: what all operations of the engine read
// and write. One-dimensional data has a width of 1, features without a place have height and
// width 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/parallel.h"

namespace edgetwin::train {

// Leaves new elements unset where no value is given: what is written anyway need not be zero
// before, which one thread would do for all.
template <class T>
struct UnsetAllocator : AlignedAllocator<T> {
  UnsetAllocator() = default;
  template <class U>
  UnsetAllocator(const UnsetAllocator<U>&) {}  // NOLINT: allocators convert
  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

// T is float; int32_t for the integer phase, whose sums are exact in any order.
template <class T>
struct MapsOf {
  int n = 0, h = 1, w = 1, c = 0;
  std::vector<T, UnsetAllocator<T>> values;

  MapsOf() = default;
  MapsOf(int items, int height, int width, int channels)
      : n(items), h(height), w(width), c(channels), values(static_cast<size_t>(size()), T{}) {}
  // For who writes every value.
  static MapsOf unset(int items, int height, int width, int channels) {
    MapsOf maps;
    maps.n = items;
    maps.h = height;
    maps.w = width;
    maps.c = channels;
    maps.values = decltype(values)(static_cast<size_t>(maps.size()));
    return maps;
  }

  int64_t item_size() const { return int64_t{h} * w * c; }
  int64_t size() const { return n * item_size(); }
  bool same_shape(const MapsOf& o) const { return n == o.n && h == o.h && w == o.w && c == o.c; }
  T* at(int item, int y, int x) { return values.data() + ((int64_t{item} * h + y) * w + x) * c; }
  const T* at(int item, int y, int x) const {
    return values.data() + ((int64_t{item} * h + y) * w + x) * c;
  }
};
using Maps = MapsOf<float>;
using Floats = std::vector<float, AlignedAllocator<float>>;
using IntMaps = MapsOf<int32_t>;

// The same elements in the order (channels, rows, columns) as maps of another size, which divides
// their number.
template <class T>
MapsOf<T> viewed(const MapsOf<T>& in, int height, int width) {
  const int64_t from = int64_t{in.h} * in.w;
  const int64_t to = int64_t{height} * width;
  const int64_t channels = in.item_size() / to;
  MapsOf<T> out = MapsOf<T>::unset(in.n, height, width, static_cast<int>(channels));
  for (int item = 0; item < in.n; ++item) {
    const T* source = in.values.data() + item * in.item_size();
    T* target = out.values.data() + item * in.item_size();
    for (int64_t e = 0; e < in.item_size(); ++e) {
      target[e % to * channels + e / to] = source[e % from * in.c + e / from];
    }
  }
  return out;
}

// A batch is cut into so many chunks whatever the number of threads; each has gradient sums of its
// own, which are added in the order of the chunks. So no bit depends on the threads.
inline constexpr int kChunks = 16;
inline int chunk_begin(int items, int chunk) {
  return static_cast<int>(int64_t{items} * chunk / kChunks);
}

// Calls body(first, last) for ranges of items, on all threads of the pool.
template <class Body>
void for_items(ThreadPool& pool, int items, const Body& body) {
  pool.parallel_for(items, 1, [&](int64_t first, int64_t last, int) {
    body(static_cast<int>(first), static_cast<int>(last));
  });
}

// Calls body(chunk) for each chunk, on all threads of the pool. A chunk counts as several units, so
// that a thread that is late leaves some to the others.
template <class Body>
void for_chunks(ThreadPool& pool, const Body& body) {
  constexpr int64_t kUnits = 4;
  pool.parallel_for(kChunks * kUnits, 1, [&](int64_t first, int64_t last, int) {
    for (int64_t unit = (first + kUnits - 1) / kUnits * kUnits; unit < last; unit += kUnits) {
      body(static_cast<int>(unit / kUnits));
    }
  });
}

// The sum of 16 rows of `size` numbers, in the order of the rows.
inline std::vector<float> sum_of_chunks(std::span<const float> rows, size_t size) {
  std::vector<float> sum(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(size));
  for (size_t chunk = 1; chunk < kChunks; ++chunk) {
    for (size_t i = 0; i < size; ++i) sum[i] += rows[chunk * size + i];
  }
  return sum;
}

}  // namespace edgetwin::train
