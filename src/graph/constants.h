// What constants of a graph consist of.
#pragma once

#include <algorithm>
#include <optional>

#include "graph/graph.h"

namespace edgetwin {

// The number, as stored, that an 8-bit constant consists of; nothing: it has several, or it is no
// constant of bytes.
inline std::optional<int32_t> only_number(const Value& v) {
  if (!v.is_constant() || v.constant->empty()) return std::nullopt;
  if (v.dtype != DType::uint8 && v.dtype != DType::int8) return std::nullopt;
  const std::byte first = v.constant->front();
  const auto same = [first](std::byte b) { return b == first; };
  if (!std::all_of(v.constant->begin(), v.constant->end(), same)) return std::nullopt;
  return v.dtype == DType::uint8 ? std::to_integer<int32_t>(first)
                                 : static_cast<int8_t>(std::to_integer<uint8_t>(first));
}

}  // namespace edgetwin
