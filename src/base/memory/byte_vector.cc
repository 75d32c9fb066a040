#include "base/memory/byte_vector.h"

#include <stdexcept>

namespace edgetwin {

size_t ByteVector::checked(size_t n) const {
  if (n < size_) return n;
  throw std::out_of_range("a byte after the end");
}

void ByteVector::reallocate(size_t capacity) {
  std::byte* data =
      capacity == 0 ? nullptr : static_cast<std::byte*>(::operator new(capacity, kAlignment));
  if (size_ != 0) std::memcpy(data, data_, size_);
  release(data_);
  data_ = data;
  capacity_ = capacity;
}

ByteVector::iterator ByteVector::open(const_iterator at, size_t count) {
  const auto first = static_cast<size_t>(at - data_);
  if (count == 0) return data_ + first;
  grow(size_ + count);
  std::memmove(data_ + first + count, data_ + first, size_ - first);
  size_ += count;
  return data_ + first;
}

}  // namespace edgetwin
