// The values of the published detectors, where P.json says nothing.
#pragma once

#include <optional>
#include <string_view>

namespace edgetwin::espdl_decode {

struct Defaults {
  float score, nms;
  int most;
};

inline constexpr Defaults kYolo11 = {0.25F, 0.7F, 10};
inline constexpr Defaults kEspdet = {0.6F, 0.7F, 10};
inline constexpr Defaults kPico = {0.7F, 0.5F, 10};
inline constexpr Defaults kFaces = {0.5F, 0.5F, 10};
inline constexpr Defaults kYolo26 = {0.25F, 0.0F, 32};
inline constexpr Defaults kHeads = {0.25F, 0.7F, 10};

// Of espdl-yolo11 and so on; nothing for what is not a detector.
constexpr std::optional<Defaults> defaults_of(std::string_view decoder) {
  if (decoder == "espdl-yolo11" || decoder == "espdl-pose" || decoder == "espdl-seg") {
    return kYolo11;
  }
  if (decoder == "espdl-espdet") return kEspdet;
  if (decoder == "espdl-pico") return kPico;
  if (decoder == "espdl-msr" || decoder == "espdl-mnp") return kFaces;
  if (decoder == "espdl-yolo26") return kYolo26;
  if (decoder == "espdl-yolo") return kHeads;
  return std::nullopt;
}

}  // namespace edgetwin::espdl_decode
