// The element types of tensors; the table is dtype.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace edgetwin {

enum class DType : uint8_t {
#define DTYPE(name, bits, npy, type) name,
#include "tensor/dtype.def"
#undef DTYPE
};

inline constexpr int kDTypeCount = 0
#define DTYPE(name, bits, npy, type) +1
#include "tensor/dtype.def"
#undef DTYPE
    ;

std::string_view name(DType type);
int bits(DType type);
// "" where NumPy has no such type.
std::string_view npy_descriptor(DType type);
std::optional<DType> dtype_from_name(std::string_view name);
std::optional<DType> dtype_from_npy(std::string_view descriptor);

// Bytes of one element; 0 for types below a byte and of variable size.
inline size_t byte_size(DType type) { return static_cast<size_t>(bits(type)) / 8; }

// The range of the integer types of up to 32 bits.
struct IntegerRange {
  int64_t low;
  int64_t high;
};
std::optional<IntegerRange> integer_range(DType type);

// dtype_of<int8_t> == DType::int8
template <class T>
inline constexpr DType dtype_of = [] {
  using std::is_same_v;
  static_assert(!is_same_v<T, void>);
#define DTYPE(name, bits, npy, type) \
  if constexpr (is_same_v<std::remove_const_t<T>, type>) return DType::name;
#include "tensor/dtype.def"
#undef DTYPE
}();

}  // namespace edgetwin
