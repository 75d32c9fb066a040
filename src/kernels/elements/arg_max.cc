#include "kernels/elements/arg_max.h"

#include <algorithm>
#include <cstring>

#include "kernels/arm/tables.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

// Eight keys: an element and what is left of a row of at most 256 after it, as one number of 16
// bits. The largest number belongs to the first among the largest elements.
using Bytes8 [[gnu::vector_size(8)]] = uint8_t;
using Keys8 [[gnu::vector_size(16)]] = int16_t;

// `flip` turns unsigned elements, read as signed ones, into the same order.
Keys8 keys_at(const uint8_t* x, int16_t index, uint8_t flip) {
  Bytes8 bytes;
  std::memcpy(&bytes, x, sizeof bytes);
  const Keys8 left = static_cast<int16_t>(255 - index) - Keys8{0, 1, 2, 3, 4, 5, 6, 7};
  return (__builtin_convertvector(bytes ^ flip, Keys8) << 8) | left;
}

// Rows of at least 8: the last eight may have been there before, which changes no maximum.
int32_t first_largest(const uint8_t* x, int length, uint8_t flip) {
  Keys8 most = keys_at(x + length - 8, static_cast<int16_t>(length - 8), flip);
  for (int k = 0; k + 8 <= length; k += 8) {
    const Keys8 keys = keys_at(x + k, static_cast<int16_t>(k), flip);
    most = most > keys ? most : keys;
  }
  int16_t best = most[0];
  for (int i = 1; i < 8; ++i) best = std::max<int16_t>(best, most[i]);
  return 255 - (best & 255);
}

void by_keys(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed, int32_t* out) {
  const uint8_t flip = is_signed ? 0 : 0x80;
  for (std::ptrdiff_t i = 0; i < rows; ++i) out[i] = first_largest(in + i * length, length, flip);
}

}  // namespace

ArgMaxKernel arg_max8(Isa isa, int length) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (length >= 16) return arg_max8_avx2;
#elif defined(__aarch64__)
  if (length >= 16) return arg_max8_neon;
#else
  (void)length;
#endif
  return by_keys;
}

}  // namespace edgetwin::kernels
