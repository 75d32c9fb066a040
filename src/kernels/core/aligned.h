// Memory at the boundary of a cache line, and the arithmetic of sizes.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace edgetwin::kernels {

constexpr std::size_t kCacheLine = 64;

constexpr std::size_t round_up(std::size_t x, std::size_t to) { return (x + to - 1) / to * to; }
constexpr int ceil_div(int x, int by) { return (x + by - 1) / by; }

// Zero-filled, fixed size.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t count) : count_(count) {
    const std::size_t bytes = round_up(count * sizeof(T) + 1, kCacheLine);
    data_.reset(static_cast<T*>(::operator new(bytes, std::align_val_t(kCacheLine))));
    std::memset(static_cast<void*>(data_.get()), 0, bytes);
  }
  T* data() const { return data_.get(); }
  std::size_t size() const { return count_; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(kCacheLine)); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t count_ = 0;
};

}  // namespace edgetwin::kernels
