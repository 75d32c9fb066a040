#include "formats/onnx/document/float_forms.h"

#include <bit>
#include <cstring>

#include "tensor/float16.h"

namespace edgetwin::onnx {
namespace {

float element_at(FloatForm form, const std::byte* at) {
  if (form == FloatForm::float64) {
    double wide = 0.0;
    std::memcpy(&wide, at, sizeof wide);
    return static_cast<float>(wide);
  }
  uint16_t half = 0;
  std::memcpy(&half, at, sizeof half);
  if (form == FloatForm::float16) return half_to_float(half);
  return std::bit_cast<float>(static_cast<uint32_t>(half) << 16);
}

}  // namespace

Bytes floats_of(FloatForm form, const Bytes& stored) {
  const size_t size = form == FloatForm::float64 ? sizeof(double) : sizeof(uint16_t);
  const size_t count = stored.size() / size;
  Bytes data(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    const float value = element_at(form, stored.data() + i * size);
    std::memcpy(data.data() + i * sizeof value, &value, sizeof value);
  }
  return data;
}

}  // namespace edgetwin::onnx
