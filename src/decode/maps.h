// What decoders of maps share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "tensor/tensor.h"

namespace edgetwin::decode {

inline Error maps_error(std::string what) { return Error(ErrorCode::decode_maps, std::move(what)); }

// Height, width and channels of (1 x) H x W x C. Error: decode_maps for other shapes, or data of
// another length.
struct MapSize {
  int64_t height = 0, width = 0, channels = 0;
  bool operator==(const MapSize&) const = default;
};
Result<MapSize> map_size(const Tensor& map);

// (q - zero point) * f32(scale * extra), or float32 times extra. Error: decode_maps.
Result<std::vector<float>> real_values(const Tensor& tensor, float extra = 1.0F);

}  // namespace edgetwin::decode
