#include "twin/tensors/buffers.h"

#include <algorithm>
#include <cstring>

namespace edgetwin::twin {

void Buffer::resize(size_t size) {
  const size_t rounded = (std::max<size_t>(size, 1) + kAlignment - 1) / kAlignment * kAlignment;
  data_.reset(static_cast<std::byte*>(::operator new(rounded, std::align_val_t(kAlignment))));
  std::memset(data_.get(), 0, rounded);
  size_ = size;
}

size_t unpacked_size(DType type) {
  return bits(type) == 0 ? 0 : std::max<size_t>(1, byte_size(type));
}

void unpack(DType type, ByteSpan from, std::span<std::byte> to) {
  if (bits(type) >= 8) {
    std::memcpy(to.data(), from.data(), std::min(from.size(), to.size()));
    return;
  }
  const auto width = static_cast<unsigned>(bits(type));
  const unsigned per_byte = 8 / width;
  const unsigned mask = (1U << width) - 1;
  const bool is_signed = type == DType::int4 || type == DType::int2;
  for (size_t i = 0; i < to.size() && i / per_byte < from.size(); ++i) {
    const auto byte = static_cast<unsigned>(from[i / per_byte]);
    unsigned v = (byte >> (i % per_byte * width)) & mask;
    if (is_signed && (v >> (width - 1)) != 0) v |= ~mask;
    to[i] = static_cast<std::byte>(v & 0xff);
  }
}

}  // namespace edgetwin::twin
