#include "compare.hpp"

#include <cstring>

namespace check {

void Difference::add(int64_t index, int64_t hw, int64_t sim) {
  ++count;
  if (first.size() < kShown) first.push_back({index, hw, sim});
}

Difference wrong(const std::string& reason, int64_t hw, int64_t sim) {
  Difference difference;
  difference.reason = reason;
  difference.add(0, hw, sim);
  return difference;
}

int64_t elements_of(const dl::TensorBase& tensor) {
  int64_t elements = 1;
  for (const int dim : tensor.shape) elements *= dim;
  return elements;
}

Difference compare_form(const GoldenTensor& golden, const dl::TensorBase& tensor) {
  constexpr uint8_t kFloat = 1;
  if (static_cast<int>(tensor.dtype) != golden.dtype) {
    return wrong("dtype", static_cast<int>(tensor.dtype), golden.dtype);
  }
  if (golden.dtype != kFloat && tensor.exponent != golden.exponent) {
    return wrong("exponent", tensor.exponent, golden.exponent);
  }
  const int64_t elements = elements_of(tensor);
  if (elements != golden.elements()) return wrong("size", elements, golden.elements());
  return {};
}

Difference compare(const GoldenTensor& golden, dl::TensorBase& tensor) {
  Difference difference = compare_form(golden, tensor);
  if (!difference.equal()) return difference;
  const uint8_t* data = tensor.get_element_ptr<uint8_t>();
  difference.checked = golden.elements();
  if (golden.data == nullptr) {
    const uint32_t crc = edgetwin_golden::crc32(data, golden.bytes);
    if (crc == golden.crc32) return difference;
    return wrong("digest", crc, golden.crc32);
  }
  if (std::memcmp(data, golden.data, golden.bytes) == 0) return difference;
  for (uint32_t i = 0; i < golden.elements(); ++i) {
    const int64_t hw = element(golden.dtype, data, i);
    const int64_t sim = element(golden.dtype, golden.data, i);
    if (hw != sim) difference.add(i, hw, sim);
  }
  return difference;
}

}  // namespace check
