#include "decode/maps.h"

#include "ops/decoders/detection_postprocess.h"

namespace edgetwin::decode {

Result<MapSize> map_size(const Tensor& map) {
  const Shape& s = map.shape;
  const bool ok = (s.rank() == 3 || (s.rank() == 4 && s[0] == 1)) && s.is_static() &&
                  s.elements() > 0 && within_limits(map.dtype, s) &&
                  static_cast<int64_t>(map.data.size()) == storage_bytes(map.dtype, s.elements());
  if (!ok) return maps_error("'" + map.name + "' is " + to_string(s) + ", not a map 1xHxWxC");
  return MapSize{s.back(2), s.back(1), s.back(0)};
}

Result<std::vector<float>> real_values(const Tensor& tensor, float extra) {
  if (!within_limits(tensor.dtype, tensor.shape) ||
      static_cast<int64_t>(tensor.data.size()) !=
          storage_bytes(tensor.dtype, tensor.shape.elements())) {
    return maps_error("'" + tensor.name + "' does not hold what its shape says");
  }
  auto operand = ops::RealOperand::make(tensor, extra);
  if (!operand.ok()) return maps_error(operand.error().message);
  return operand->read(tensor.data.data());
}

}  // namespace edgetwin::decode
