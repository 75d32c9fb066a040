// Bytes in memory, and bounded little-endian reading and writing where every field has a name, so
// that an error can say which one is missing or wrong.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/memory/byte_vector.h"
#include "base/result.h"

namespace edgetwin {

static_assert(std::endian::native == std::endian::little,
              "all formats here are little-endian and are read in place");

// Allocates on cache-line borders, so that kernels may load whole vectors from the start.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT: allocators convert
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, size_t) { ::operator delete(p, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};

using Bytes = ByteVector;
using ByteSpan = std::span<const std::byte>;

inline Bytes to_bytes(ByteSpan data) { return Bytes(data.begin(), data.end()); }
inline ByteSpan as_byte_span(std::string_view s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}
inline std::string_view as_text(ByteSpan s) {
  return {reinterpret_cast<const char*>(s.data()), s.size()};
}

// A cursor over bytes that it does not own.
class ByteReader {
 public:
  explicit ByteReader(ByteSpan data, std::string file = {}) : data_(data), file_(std::move(file)) {}

  size_t offset() const { return offset_; }
  size_t remaining() const { return data_.size() - offset_; }

  // The next number or trivially copyable struct of fixed layout; `field` names it in errors.
  template <class T>
  requires std::is_trivially_copyable_v<T> Result<T> read(std::string_view field) {
    EDGETWIN_TRY_ASSIGN(const ByteSpan raw, take(sizeof(T), field));
    T value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  // The next `size` bytes.
  Result<ByteSpan> take(size_t size, std::string_view field);
  Status skip(size_t size, std::string_view field);

  // An error of the given code at the current offset.
  Error error(ErrorCode code, std::string message, std::string_view field) const;

 private:
  ByteSpan data_;
  size_t offset_ = 0;
  std::string file_;
};

// Appends little-endian values; `field` documents the call and feeds the annotated dump.
class ByteWriter {
 public:
  struct Note {
    size_t offset;
    size_t size;
    std::string field;
  };

  template <class T>
  requires std::is_trivially_copyable_v<T>
  void write(T value, std::string_view field) {
    append(std::as_bytes(std::span(&value, 1)), field);
  }
  void append(ByteSpan data, std::string_view field);
  // Zero bytes up to the next multiple of `alignment`.
  void align(size_t alignment, std::string_view field);

  size_t size() const { return data_.size(); }
  const Bytes& bytes() const { return data_; }
  const std::vector<Note>& notes() const { return notes_; }

 private:
  Bytes data_;
  std::vector<Note> notes_;
};

}  // namespace edgetwin
