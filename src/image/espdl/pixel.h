// The pixel types that ESP-DL's picture pipeline reads and writes; the table is pixel.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace edgetwin::espdl_image {

enum class PixelType : uint8_t {
#define PIXEL(name, ...) name,
#include "image/espdl/pixel.def"
#undef PIXEL
};

// What the numbers of a pixel are. A source is converted within its space, from colour to grey and
// hsv, and from yuv to all of these; everything else has no conversion in the runtime.
enum class Space : uint8_t { grey, colour, hsv, yuv };

struct PixelInfo {
  std::string_view name;
  int source_bytes;     // 0: not a source
  int target_elements;  // of the target's array per pixel
  Space space;
  DType type;  // of the target's elements
};

const PixelInfo& info(PixelType type);
std::optional<PixelType> pixel_type_from_name(std::string_view name);
// "rgb888, bgr888, …": the types that can be a source, or those that can be a target.
std::string source_names();
std::string target_names();

inline bool is_quantized(PixelType type) { return info(type).type != DType::uint8; }

}  // namespace edgetwin::espdl_image
