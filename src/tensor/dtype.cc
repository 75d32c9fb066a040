#include "tensor/dtype.h"

#include <array>
#include <string>

namespace edgetwin {
namespace {

struct Row {
  DType type;
  std::string_view name;
  int bits;
  std::string_view npy;
};

constexpr std::array<Row, kDTypeCount> kRows = {{
#define DTYPE(name, bits, npy, type) {DType::name, #name, bits, npy},
#include "tensor/dtype.def"
#undef DTYPE
}};

const Row& row(DType type) { return kRows[static_cast<size_t>(type)]; }

}  // namespace

std::string_view name(DType type) { return row(type).name; }
int bits(DType type) { return row(type).bits; }
std::string_view npy_descriptor(DType type) { return row(type).npy; }

std::optional<DType> dtype_from_name(std::string_view wanted) {
  for (const Row& r : kRows) {
    if (r.name == wanted) return r.type;
  }
  return std::nullopt;
}

std::optional<DType> dtype_from_npy(std::string_view descriptor) {
  for (const Row& r : kRows) {
    if (!r.npy.empty() && r.npy == descriptor) return r.type;
  }
  // One-byte types have no byte order; some writers name one all the same.
  if (descriptor.size() == 3 && descriptor[2] == '1' && descriptor[0] != '|') {
    return dtype_from_npy(std::string("|").append(descriptor.substr(1)));
  }
  return std::nullopt;
}

std::optional<IntegerRange> integer_range(DType type) {
  switch (type) {
    case DType::int2:
      return IntegerRange{-2, 1};
    case DType::int4:
      return IntegerRange{-8, 7};
    case DType::uint4:
      return IntegerRange{0, 15};
    case DType::int8:
      return IntegerRange{-128, 127};
    case DType::uint8:
      return IntegerRange{0, 255};
    case DType::int16:
      return IntegerRange{-32768, 32767};
    case DType::uint16:
      return IntegerRange{0, 65535};
    case DType::int32:
      return IntegerRange{INT32_MIN, INT32_MAX};
    case DType::uint32:
      return IntegerRange{0, UINT32_MAX};
    default:
      return std::nullopt;
  }
}

}  // namespace edgetwin
