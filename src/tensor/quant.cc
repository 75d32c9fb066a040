#include "tensor/quant.h"

#include <charconv>

namespace edgetwin {
namespace {

// The shortest digits that read back as the same float.
std::string shortest(float value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return {buffer, end};
}

}  // namespace

std::string to_string(const Quant& q) {
  if (!q.present()) return "";
  if (q.per_channel()) {
    const char* what = q.scheme == Quant::Scheme::affine ? " scales" : " exponents";
    return std::to_string(q.channels()) + what + " along axis " + std::to_string(q.axis);
  }
  if (q.scheme == Quant::Scheme::power_of_two) return "exponent " + std::to_string(q.exponent[0]);
  return "scale " + shortest(q.scale_of(0)) + " zero point " + std::to_string(q.zero_point_of(0));
}

}  // namespace edgetwin
