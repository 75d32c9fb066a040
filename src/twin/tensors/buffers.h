// Memory with a fixed place, on the boundary that vector instructions like.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "base/bytes.h"
#include "tensor/dtype.h"

namespace edgetwin::twin {

class Buffer {
 public:
  static constexpr size_t kAlignment = 64;

  // Zeros. Throws std::bad_alloc.
  void resize(size_t size);
  bool present() const { return data_ != nullptr; }
  std::span<std::byte> bytes() const { return {data_.get(), size_}; }
  void free() { data_.reset(); }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t(kAlignment)); }
  };
  std::unique_ptr<std::byte[], Free> data_;
  size_t size_ = 0;
};

// One byte per element of types below a byte, sign extended where they have one; others as they
// are. `to` has room for all.
void unpack(DType type, ByteSpan from, std::span<std::byte> to);
// Bytes of one element so unpacked.
size_t unpacked_size(DType type);

}  // namespace edgetwin::twin
