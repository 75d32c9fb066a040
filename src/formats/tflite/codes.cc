#include "formats/tflite/codes.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "formats/tflite/tflite.h"

namespace edgetwin::tflite {
namespace {

// By the code in the file.
constexpr std::array<DType, kDTypeCount> kTypes = {
    DType::float32, DType::float16,       DType::int32,      DType::uint8,     DType::int64,
    DType::string,  DType::boolean,       DType::int16,      DType::complex64, DType::int8,
    DType::float64, DType::complex128,    DType::uint64,     DType::resource,  DType::variant,
    DType::uint32,  DType::uint16,        DType::int4,       DType::bfloat16,  DType::int2,
    DType::uint4,   DType::float8_e4m3fn, DType::float8_e5m2};

constexpr std::array kBuiltins = {
#define BUILTIN(code, name) std::string_view(#name),
#include "formats/tflite/builtin_ops.def"
#undef BUILTIN
};

constexpr bool rows_are_gapless() {
  int next = 0;
#define BUILTIN(code, name) \
  if (code != next++) return false;
#include "formats/tflite/builtin_ops.def"
#undef BUILTIN
  return true;
}
static_assert(rows_are_gapless(), "builtin_ops.def is indexed by code");

}  // namespace

std::optional<DType> dtype_from_code(int code) {
  if (code < 0 || static_cast<size_t>(code) >= kTypes.size()) return std::nullopt;
  return kTypes[static_cast<size_t>(code)];
}

int code_of(DType type) {
  return static_cast<int>(std::find(kTypes.begin(), kTypes.end(), type) - kTypes.begin());
}

std::string_view builtin_name(int code) {
  if (code < 0 || static_cast<size_t>(code) >= kBuiltins.size()) return {};
  return kBuiltins[static_cast<size_t>(code)];
}

std::optional<int> builtin_code(std::string_view name) {
  const auto found = std::find(kBuiltins.begin(), kBuiltins.end(), name);
  if (found == kBuiltins.end()) return std::nullopt;
  return static_cast<int>(found - kBuiltins.begin());
}

}  // namespace edgetwin::tflite
