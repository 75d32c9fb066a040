// The limits that docs/formats/espdl.md lists, for readers and writers alike.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::espdl {

inline constexpr uint32_t kMaxTables = 2'000'000;  // of one model
inline constexpr uint32_t kMaxDepth = 16;          // nesting; the schema itself needs 8
inline constexpr size_t kMaxRank = 8;
inline constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 30;

}  // namespace edgetwin::espdl
