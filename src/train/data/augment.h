// Changed copies of pictures for training, on bytes, so that the input stays on the chip's grid.
// Specification: training, 10.3.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "train/math/random.h"

namespace edgetwin::train {

enum class AugmentKind : uint8_t {
  pad_crop,      // moved by up to `pad` places
  flip,          // columns in the other order, every second time
  affine,        // turned, moved, slanted and scaled about the middle; bilinear
  noise,         // normal, of deviation `sigma` in bytes
  resized_crop,  // a part of `area` and `aspect`, brought to the size, or back to that of before
  random_crop,   // a part of `height` x `width`
  centre_crop,   // the middle one
  colour,        // brightness, contrast, saturation by a factor near 1
  erase,         // a rectangle of `area` becomes zero, with `probability`
  // --- Sounds: 128 channels of 128 samples, sample 128 t + c at [c][t].
  sound_shift,     // by up to `shift` seconds
  speed,           // `low` to `high` times as fast; linear
  white_noise,     // of `low` to `high` decibels below the sound
  recorded_noise,  // the same of a recording, with `probability`
};

// Recordings, -1 to 1.
using Recordings = std::vector<std::vector<float>>;

struct Augmentation {
  AugmentKind kind = AugmentKind::pad_crop;
  int pad = 4;
  int height = 0, width = 0;                // of crops; resized_crop: 0 keeps the size
  double rotate = 0, shift = 0, shear = 0;  // degrees, part of the size (or seconds), degrees
  double low = 1, high = 1;                 // of scale, speed, decibels
  double sigma = 0;
  double least_area = 0.08, most_area = 1, least_aspect = 0.75, most_aspect = 4.0 / 3;
  double brightness = 0, contrast = 0, saturation = 0;
  double probability = 1;
  std::string folder = {};                                 // of recorded noise
  std::shared_ptr<const Recordings> recordings = nullptr;  // what was read from it
};

// Whether a step moves what a picture shows, so that a mask must follow it.
bool moves(AugmentKind kind);
bool is_sound(AugmentKind kind);
bool is_crop(AugmentKind kind);

struct PictureSize {
  int channels = 0, height = 0, width = 0;
};

// Applies the steps to the bytes of one item, in the order (channels, rows, columns). What is drawn
// depends on seed, epoch, item and the step only. Outside of the picture is 128, the input's zero.
// Crops give fewer bytes, of another size.
void augment(std::vector<uint8_t>& bytes, PictureSize size, std::span<const Augmentation> steps,
             uint64_t seed, int epoch, uint32_t item);
// The size after these steps. A crop is at most as large as the picture.
PictureSize size_after(PictureSize size, std::span<const Augmentation> steps);
// What a network that reads `to` gets of an item that is not changed: the middle of it, as large as
// `to`, or where `resized` the largest part of that aspect brought to it.
std::vector<uint8_t> middle_of(std::span<const uint8_t> bytes, const PictureSize& size,
                               const PictureSize& to, bool resized);
// The same for the classes of the places of a picture: only what moves.
void augment_mask(std::span<uint8_t> classes, const PictureSize& size,
                  std::span<const Augmentation> steps, uint64_t seed, int epoch, uint32_t item);
// augment_sound.cc: one step of a sound.
void augment_sound(std::span<uint8_t> bytes, const Augmentation& step, Random& random);

// A part of a plane of `height` x `width` bytes as a plane of another size; bilinear, half-pixel
// centres, outside of the plane its border.
struct PlanePart {
  double top = 0, left = 0, height = 0, width = 0;
};
void resample(std::span<const uint8_t> plane, int height, int width, const PlanePart& part,
              std::span<uint8_t> to, int to_height, int to_width);

}  // namespace edgetwin::train
