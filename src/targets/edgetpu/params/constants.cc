#include "targets/edgetpu/params/constants.h"

#include <cstring>
#include <limits>

#include "targets/edgetpu/params/block.h"

namespace edgetwin::edgetpu {
namespace {

// Four values per line, the rest of it zero; slots after `length` hold `filler`.
std::byte* put_table(std::byte* at, int length, float value, float filler) {
  for (int i = 0; i < (length + 3) / 4 * 4; ++i) {
    const float v = i < length ? value : filler;
    std::memcpy(at + i % 4 * 4, &v, sizeof v);
    if (i % 4 == 3) at += kLineBytes;
  }
  return at;
}

}  // namespace

Bytes softmax_tables(int length, float input_scale) {
  if (length % 4 == 0) return {};
  const auto lines = static_cast<size_t>((length + 3) / 4);
  Bytes bytes((3 * lines + 1) * kLineBytes);
  std::byte* at = bytes.data();
  at = put_table(at, length, 0.0F, -0.0F);
  at = put_table(at, length, 0.0F, -0.0F);
  at = put_table(at, length, input_scale, input_scale * std::numeric_limits<float>::max());
  constexpr float kOne = 1.0F;
  std::memcpy(at, &kOne, sizeof kOne);
  return bytes;
}

Bytes selection_matrix(int count) {
  Bytes bytes(static_cast<size_t>(count + 1) * kLineBytes);
  for (int i = 0; i < count; ++i) {
    const auto line = static_cast<size_t>(i + 1) * kLineBytes;
    bytes[line + static_cast<size_t>(4 * i) % kLineBytes] = std::byte{1};
  }
  return bytes;
}

}  // namespace edgetwin::edgetpu
