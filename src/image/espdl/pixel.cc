#include "image/espdl/pixel.h"

#include <array>

namespace edgetwin::espdl_image {
namespace {

constexpr std::array kPixels = {
#define PIXEL(name, source_bytes, target_elements, space, type, meaning) \
  PixelInfo{#name, source_bytes, target_elements, Space::space, DType::type},
#include "image/espdl/pixel.def"
#undef PIXEL
};

std::string names_where(int PixelInfo::*member) {
  std::string names;
  for (const PixelInfo& p : kPixels) {
    if (p.*member > 0) names += (names.empty() ? "" : ", ") + std::string(p.name);
  }
  return names;
}

}  // namespace

const PixelInfo& info(PixelType type) { return kPixels[static_cast<size_t>(type)]; }

std::optional<PixelType> pixel_type_from_name(std::string_view name) {
  for (size_t i = 0; i < kPixels.size(); ++i) {
    if (kPixels[i].name == name) return static_cast<PixelType>(i);
  }
  return std::nullopt;
}

std::string source_names() { return names_where(&PixelInfo::source_bytes); }

std::string target_names() { return names_where(&PixelInfo::target_elements); }

}  // namespace edgetwin::espdl_image
