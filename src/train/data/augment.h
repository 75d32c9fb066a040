// Changed copies of pictures for training, on bytes, so that the input stays on the chip's grid.
// Specification: training, 10.3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace edgetwin::train {

enum class AugmentKind : uint8_t {
  pad_crop,  // moved by up to `pad` places
  flip,      // columns in the other order, every second time
  affine,    // turned, moved and slanted about the middle; bilinear
  noise,     // normal, of deviation `sigma` in bytes
};

struct Augmentation {
  AugmentKind kind = AugmentKind::pad_crop;
  int pad = 4;
  double rotate = 0, shift = 0, shear = 0;  // degrees, part of the size, degrees
  double sigma = 0;
};

struct PictureSize {
  int channels = 0, height = 0, width = 0;
};

// Applies the steps to the bytes of one item, in the order (channels, rows, columns). What is drawn
// depends on seed, epoch and item only. Outside of the picture is 128, the input's zero.
void augment(std::span<uint8_t> bytes, const PictureSize& size, std::span<const Augmentation> steps,
             uint64_t seed, int epoch, uint32_t item);

}  // namespace edgetwin::train
