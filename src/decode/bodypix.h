// BodyPix: which pixels are people, and which part of the body each is. Its key points are those of
// PoseNet (posenet.h).
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "decode/segmentation.h"

namespace edgetwin::decode {

inline constexpr std::array<std::string_view, 24> kBodyParts = {"left face",
                                                                "right face",
                                                                "left upper arm front",
                                                                "left upper arm back",
                                                                "right upper arm front",
                                                                "right upper arm back",
                                                                "left lower arm front",
                                                                "left lower arm back",
                                                                "right lower arm front",
                                                                "right lower arm back",
                                                                "left hand",
                                                                "right hand",
                                                                "torso front",
                                                                "torso back",
                                                                "left upper leg front",
                                                                "left upper leg back",
                                                                "right upper leg front",
                                                                "right upper leg back",
                                                                "left lower leg front",
                                                                "left lower leg back",
                                                                "right lower leg front",
                                                                "right lower leg back",
                                                                "left foot",
                                                                "right foot"};

// `maps`: a map of one channel (logits: is it a person), and perhaps one of 24 channels (logits: of
// which part); others are passed over. Classes: 0 no person, then 1 + part, or 1 where there is no
// map of parts. A block is a person where 1 / (1 + exp(-logit)) >= threshold; of equal parts the
// first. Error: decode_maps.
Result<ClassMap> decode_bodypix(std::span<const Tensor> maps, double threshold);

}  // namespace edgetwin::decode
