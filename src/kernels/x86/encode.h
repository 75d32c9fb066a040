// Encoding of input rows. Included once per instruction set, after Vec.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/table8.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

inline void encode(uint8_t* to, const uint8_t* from, std::size_t count,
                   const InputEncoding& encoding) {
  const Vec::Encoder encoder(encoding);
  std::size_t i = 0;
  for (; i + Vec::kEncoded <= count; i += Vec::kEncoded) {
    encoder.encode(to + i * Vec::kElementBytes, from + i);
  }
  if (i == count) return;
  uint8_t source[Vec::kEncoded] = {};
  uint8_t result[Vec::kEncoded * Vec::kElementBytes];
  for (std::size_t k = i; k < count; ++k) source[k - i] = from[k];
  encoder.encode(result, source);
  for (std::size_t k = 0; k < (count - i) * Vec::kElementBytes; ++k) {
    to[i * Vec::kElementBytes + k] = result[k];
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
